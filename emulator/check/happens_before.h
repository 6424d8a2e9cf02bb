// Happens-before for any machine whose threads share memory: clocks, and a shadow of memory that
// knows which actor accessed each byte last (FastTrack: Flanagan and Freund, "FastTrack: efficient
// and precise dynamic race detection", PLDI 2009). Nothing here is safe to share between threads of
// the host.
//
// An actor accesses memory in one order: a wavefront, a warp or a thread, counted over the launch.
// It numbers its accesses in rising order. The knowledge about an actor is a `Progress`: its reads
// and its writes below these numbers have happened. If accesses end when they are issued, both are
// the number of the next access. If a write ends later, only a wait raises `writes`.
//
// A machine keeps a `Clock` for each actor, joins into it the knowledge that the actor gets at a
// barrier or by reading a released value, and asks it about the conflicts that the shadow finds.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace heddle::emulator::check {

struct Progress {
  uint32_t reads = 0, writes = 0;  // accesses with lower numbers have happened
  bool operator==(const Progress&) const = default;
};

// The knowledge about other actors. A copy is only a pointer. Entries exist only for actors about
// which something is known, and are not changed while clocks share them.
class Clock {
 public:
  Progress of(uint32_t actor) const;
  // Takes over all that the other clock knows.
  void join(const Clock& other);
  void raise(uint32_t actor, Progress progress);
  // The knowledge about `count` actors from `first` on, moved to the actors `by` further on.
  Clock shifted(uint32_t first, uint32_t count, uint32_t by) const;
  bool is_empty() const { return !entries_; }
  std::size_t size() const { return entries_ ? entries_->list.size() : 0; }
  // The host's bytes for one entry, and the overhead of a clock and its place, counted in entries.
  static constexpr uint64_t entry_bytes = 12, own_entries = 12;
  // Whether the two are copies of one; two that know the same may be apart.
  bool operator==(const Clock& other) const { return entries_ == other.entries_; }

 private:
  struct Entry {
    uint32_t actor;
    Progress progress;
  };
  struct Entries {
    std::vector<Entry> list;  // by rising actor
    uint64_t number;          // no other entries of this process have it
  };
  static std::shared_ptr<const Entries> make(std::vector<Entry> list);

  std::shared_ptr<const Entries> entries_;
  uint64_t joined_ = 0;  // number of the entries joined last: who polls a flag joins the same again
};

// A remembered access.
struct Past {
  static constexpr uint32_t none = ~0u;
  uint32_t actor = none;
  uint32_t number = 0;     // of the actor's accesses
  uint32_t site : 24 = 0;  // of the program: an instruction
  uint32_t writes : 1 = 0;
  uint32_t atomic : 1 = 0;  // for the machine: is part of an atomic operation
  uint32_t update : 1 = 0;  // reads and writes at once
  uint32_t scope : 3 = 0;   // for the machine

  bool exists() const { return actor != none; }
};

inline bool happened(const Clock& known, const Past& past) {
  const Progress progress = known.of(past.actor);
  return past.number < (past.writes ? progress.writes : progress.reads);
}

// A machine's judgement on two accesses to one byte by different actors, of which one writes.
enum class Verdict : uint8_t {
  ordered,    // the earlier one happened before
  no_race,    // they have no order, and need none: atomics
  no_change,  // a write that leaves the byte as it was: it may as well not have been
  race,
};

// The last accesses to each byte. Pages are allocated on first access. In a page, an aligned group
// of four bytes is one unit until an access is smaller than that.
class AccessShadow {
 public:
  explicit AccessShadow(uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // The same for an access to `count` consecutive bytes from `address` on. For each group of bytes
  // it calls `judge(past, address) -> Verdict` for each conflicting access of another actor. Then
  // it stores the access in place of those that happened before it. A judge that is a class may
  // have `word(address)`, which returns the contents of memory before the access. Then `judge(past,
  // address, overwritten)` is called, with the value that the last store replaced.
  template <class Judge>
  void access(uint64_t address, uint64_t count, const Past& now, Judge&& judge);

  // The last write that is remembered at an address.
  const Past* last_write(uint64_t address) const;

  void clear();
  uint64_t bytes() const { return bytes_; }
  // There was no more memory for a page or a list of readers: some accesses are not remembered.
  bool is_incomplete() const { return is_incomplete_; }

 private:
  static constexpr uint32_t page_shift = 10, most_others = 8;
  // Reads, and atomic writes that have no order among themselves, since the last write.
  struct Others {
    uint32_t count = 0;
    std::array<Past, most_others> past;
  };
  struct Cell {
    Past write, other;
    uint32_t others = 0;       // 0: only `other`; else a place in others_, less 1
    uint32_t overwritten = 0;  // by the last store: the word as it was before
  };
  struct Page {
    uint32_t shift = 2;  // log2 of the bytes of a cell
    std::vector<Cell> cells;
  };

  Page* page_of(uint64_t address);
  bool refine(Page& page);  // false where there is no memory for it
  void remember_other(Cell& cell, const Past& past);
  template <class Judge>
  void access_cell(Cell& cell, uint64_t address, const Past& now, Judge& judge);
  template <class Judge>
  void write_cell(Cell& cell, uint64_t address, const Past& now, Judge& judge);
  template <class Judge>
  static Verdict asked(Judge& judge, const Past& past, uint64_t address, const Cell& cell) {
    if constexpr (requires { judge.word(address); })
      return judge(past, address, cell.overwritten);
    else
      return judge(past, address);
  }

  uint64_t most_bytes_, bytes_ = 0;
  bool is_incomplete_ = false;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t last_number_ = ~uint64_t{0};  // of the page that was asked for last
  Page* last_page_ = nullptr;
  std::vector<Others> others_;
  std::vector<uint32_t> free_others_;
};

template <class Judge>
void AccessShadow::write_cell(Cell& cell, uint64_t address, const Past& now, Judge& judge) {
  Past kept[most_others + 1];
  uint32_t kept_count = 0;
  bool changes = true;
  const auto look = [&](const Past& past) {
    if (!past.exists()) return;
    const bool is_own = past.actor == now.actor;
    const Verdict verdict = is_own ? Verdict::ordered : asked(judge, past, address, cell);
    changes = changes && verdict != Verdict::no_change;
    // Atomic writes of several actors are kept, so that a later access is compared with each of
    // them. An actor's store before its update is kept too, since another actor that may update
    // need not know of the store.
    const bool stays = is_own ? now.update && !past.update : verdict == Verdict::no_race;
    if (stays && past.writes && kept_count < most_others) kept[kept_count++] = past;
  };
  look(cell.write);
  if (cell.others != 0) {
    const Others& others = others_[cell.others - 1];
    for (uint32_t i = 0; i < others.count; ++i) look(others.past[i]);
  } else {
    look(cell.other);
  }
  if (!changes) return;
  if constexpr (requires { judge.word(address); })
    if (!now.update) cell.overwritten = judge.word(address);
  cell.write = now;
  cell.other = {};
  if (cell.others != 0) {
    others_[cell.others - 1].count = 0;
    free_others_.push_back(cell.others - 1);
    cell.others = 0;
  }
  for (uint32_t i = 0; i < kept_count; ++i) remember_other(cell, kept[i]);
}

template <class Judge>
void AccessShadow::access_cell(Cell& cell, uint64_t address, const Past& now, Judge& judge) {
  if (now.writes) return write_cell(cell, address, now, judge);
  if (cell.write.exists() && cell.write.actor != now.actor) asked(judge, cell.write, address, cell);
  if (cell.others != 0) {
    const Others& others = others_[cell.others - 1];
    for (uint32_t i = 0; i < others.count; ++i)
      if (others.past[i].writes && others.past[i].actor != now.actor)
        asked(judge, others.past[i], address, cell);
  } else if (cell.other.exists() && cell.other.writes && cell.other.actor != now.actor) {
    asked(judge, cell.other, address, cell);
  }
  remember_other(cell, now);
}

template <class Judge>
void AccessShadow::access(uint64_t address, uint64_t count, const Past& now, Judge&& judge) {
  const uint64_t end = address + count;
  while (address < end) {
    const uint64_t page_end = ((address >> page_shift) + 1) << page_shift;
    const uint64_t stop = std::min(end, page_end);
    Page* const page = page_of(address);
    if (!page) {
      address = stop;
      continue;
    }
    if (((address | stop) & ((1u << page->shift) - 1)) != 0 && !refine(*page)) {
      address = stop;
      continue;
    }
    constexpr uint64_t inside = (uint64_t{1} << page_shift) - 1;
    for (; address < stop; address += uint64_t{1} << page->shift)
      access_cell(page->cells[(address & inside) >> page->shift], address, now, judge);
  }
}

// The knowledge that atomic updates released at each address. A reader of the address learns the
// knowledge of all updates since the last plain write.
class Releases {
 public:
  // `most_entries`: of all clocks; each address counts as Clock::own_entries more.
  explicit Releases(uint64_t most_entries) : most_entries_(most_entries) {}
  const Clock* find(uint64_t address) const;
  void update(uint64_t address, const Clock& base, const Clock& released);
  void forget(uint64_t address);
  // There was no more memory: an order between actors may be unknown.
  bool is_incomplete() const { return is_incomplete_; }
  void clear() {
    clocks_.clear();
    entries_ = 0;
  }

 private:
  uint64_t most_entries_, entries_ = 0;
  bool is_incomplete_ = false;
  std::unordered_map<uint64_t, Clock> clocks_;
};

}  // namespace heddle::emulator::check
