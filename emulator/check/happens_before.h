// Finds unordered accesses for any machine whose threads share memory. It uses clocks, and a shadow
// of memory that records for each byte which actor accessed it last (FastTrack: Flanagan and
// Freund, "FastTrack: efficient and precise dynamic race detection", PLDI 2009). These classes may
// not be shared between threads of the host.
//
// An actor is whatever accesses memory in one order: a wavefront, a warp or a thread. Actors are
// numbered over the launch. Each actor numbers its accesses in ascending order.
//
// The knowledge about an actor is a `Progress`: its reads with numbers below `reads`, and its
// writes with numbers below `writes`, have happened. If accesses end when they are issued, both
// numbers are the number of the next access. If a write ends later, only a wait raises `writes`.
//
// A machine (AMD's or NVIDIA's emulator) keeps a `Clock` for each actor: what the actor knows about
// the others. The machine adds to the clock what the actor learns at a barrier or by reading a
// released value. The shadow finds conflicting accesses, and the clock tells whether they are
// ordered.
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

// What an actor knows about the progress of other actors. It has entries only for actors about
// which something is known. Copying a clock is cheap, since copies share their entries; shared
// entries are never changed.
class Clock {
 public:
  Progress of(uint32_t actor) const;
  // Adds everything that the other clock knows.
  void join(const Clock& other);
  void raise(uint32_t actor, Progress progress);
  // A clock with only the knowledge about actors `first` to first + count - 1; each of these actors
  // is renumbered by adding `by`.
  Clock shifted(uint32_t first, uint32_t count, uint32_t by) const;
  bool is_empty() const { return !entries_; }
  std::size_t size() const { return entries_ ? entries_->list.size() : 0; }
  // entry_bytes: the host memory for one entry, in bytes. own_entries: the memory of a clock and
  // its map entry without entries, expressed as a number of entries.
  static constexpr uint64_t entry_bytes = 12, own_entries = 12;
  // True if the two clocks are copies of the same clock. Clocks that were made separately compare
  // as different even if they have the same knowledge.
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

// A machine's judgement on two accesses to one byte by different actors, at least one of which is a
// write.
enum class Verdict : uint8_t {
  ordered,    // the earlier one happened before
  no_race,    // they have no order, and need none: atomics
  no_change,  // a write that leaves the byte as it was: it may as well not have been
  race,
};

// Records the last accesses to each byte of memory. Pages of records are allocated when their
// memory is first accessed. In a page, accesses are recorded for aligned groups of four bytes; if
// an access is smaller than that, the page changes to single bytes.
class AccessShadow {
 public:
  explicit AccessShadow(uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // Handles the access `now` to `count` consecutive bytes from `address` on. For each group of
  // bytes (see the class), and for each conflicting access `past` of another actor, calls
  // `judge(past, address)`, which returns a Verdict. Then records `now` in place of the accesses
  // that happened before it.
  //
  // If the judge is a class with a function `word(address)`, which returns the contents of memory
  // before the access, then `judge(past, address, overwritten)` is called instead: `overwritten` is
  // the value that the last store replaced.
  template <class Judge>
  void access(uint64_t address, uint64_t count, const Past& now, Judge&& judge);

  // The last write that is remembered at an address.
  const Past* last_write(uint64_t address) const;

  void clear();
  uint64_t bytes() const { return bytes_; }
  // True if some accesses could not be recorded, because there was not enough memory for a page or
  // for a list of readers.
  bool is_incomplete() const { return is_incomplete_; }

 private:
  static constexpr uint32_t page_shift = 10, most_others = 8;
  // The reads since the last write, and atomic writes that are not ordered relative to each other.
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
    // Writes that stay recorded besides `now`:
    // - Atomic writes of several actors, so that a later access is compared with each of them.
    // - A plain store of the actor that now makes an atomic update: another actor's update need not
    // be ordered after this store.
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

// The knowledge that atomic updates have released at each address. Who reads an address learns what
// all updates of it since the last plain write released.
class Releases {
 public:
  // `most_entries` limits the memory: the entries of all clocks, plus Clock::own_entries for each
  // address.
  explicit Releases(uint64_t most_entries) : most_entries_(most_entries) {}
  const Clock* find(uint64_t address) const;
  void update(uint64_t address, const Clock& base, const Clock& released);
  void forget(uint64_t address);
  // True if knowledge was forgotten for lack of memory, so that an order between actors may be
  // missed.
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
