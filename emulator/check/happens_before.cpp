#include "emulator/check/happens_before.h"

#include <atomic>

namespace heddle::emulator::check {

// --- clocks ------------------------------------------------------------------------------------

std::shared_ptr<const Clock::Entries> Clock::make(std::vector<Entry> list) {
  static std::atomic<uint64_t> made = 0;
  return std::make_shared<const Entries>(std::move(list),
                                         made.fetch_add(1, std::memory_order_relaxed) + 1);
}

Progress Clock::of(uint32_t actor) const {
  if (!entries_) return {};
  const auto at = std::ranges::lower_bound(entries_->list, actor, {}, &Entry::actor);
  return at != entries_->list.end() && at->actor == actor ? at->progress : Progress{};
}

void Clock::raise(uint32_t actor, Progress progress) {
  const Progress old = of(actor);
  const Progress raised = {std::max(old.reads, progress.reads),
                           std::max(old.writes, progress.writes)};
  if (raised == old) return;
  if (!entries_) joined_ = 0;  // of a clock that was moved from, it speaks of entries that are gone
  std::vector<Entry> entries = entries_ ? entries_->list : std::vector<Entry>();
  const auto at = std::ranges::lower_bound(entries, actor, {}, &Entry::actor);
  if (at != entries.end() && at->actor == actor)
    at->progress = raised;
  else
    entries.insert(at, {actor, raised});
  entries_ = make(std::move(entries));
}

Clock Clock::shifted(uint32_t first, uint32_t count, uint32_t by) const {
  std::vector<Entry> entries;
  if (entries_)
    for (const Entry& entry : entries_->list)
      if (entry.actor >= first && entry.actor - first < count)
        entries.push_back({entry.actor + by, entry.progress});
  Clock clock;
  if (!entries.empty()) clock.entries_ = make(std::move(entries));
  return clock;
}

void Clock::join(const Clock& other) {
  if (!other.entries_ || other.entries_ == entries_) return;
  if (entries_ && other.entries_->number == joined_) return;
  joined_ = other.entries_->number;
  if (!entries_) {
    entries_ = other.entries_;
    return;
  }
  const std::vector<Entry>& own = entries_->list;
  const std::vector<Entry>& others = other.entries_->list;
  std::vector<Entry> merged;
  merged.reserve(std::max(own.size(), others.size()));
  bool is_this = true, is_other = true;  // whether the result equals one of the two
  auto a = own.begin(), b = others.begin();
  while (a != own.end() || b != others.end()) {
    if (b == others.end() || (a != own.end() && a->actor < b->actor)) {
      is_other = false;
      merged.push_back(*a++);
    } else if (a == own.end() || b->actor < a->actor) {
      is_this = false;
      merged.push_back(*b++);
    } else {
      const Progress progress = {std::max(a->progress.reads, b->progress.reads),
                                 std::max(a->progress.writes, b->progress.writes)};
      is_this = is_this && progress == a->progress;
      is_other = is_other && progress == b->progress;
      merged.push_back({a->actor, progress});
      ++a, ++b;
    }
  }
  if (is_this) return;
  entries_ = is_other ? other.entries_ : make(merged);
}

// --- shadow ------------------------------------------------------------------------------------

AccessShadow::Page* AccessShadow::page_of(uint64_t address) {
  const uint64_t number = address >> page_shift;
  if (number == last_number_) return last_page_;
  auto at = pages_.find(number);
  if (at == pages_.end()) {
    constexpr std::size_t cells = std::size_t{1} << (page_shift - 2);
    if (bytes_ + cells * sizeof(Cell) > most_bytes_) {
      is_incomplete_ = true;
      return nullptr;
    }
    bytes_ += cells * sizeof(Cell);
    at = pages_.emplace(number, std::make_unique<Page>()).first;
    at->second->cells.resize(cells);
  }
  last_number_ = number;
  return last_page_ = at->second.get();
}

// From now on, the page records accesses for each byte instead of each four bytes (a cell is then
// one byte). Otherwise writes of different actors to neighbouring bytes would seem to be a race.
bool AccessShadow::refine(Page& page) {
  if (page.shift == 0) return true;
  const std::size_t factor = std::size_t{1} << page.shift;
  if (bytes_ + (factor - 1) * page.cells.size() * sizeof(Cell) > most_bytes_) {
    is_incomplete_ = true;
    return false;
  }
  std::vector<Cell> finer(page.cells.size() * factor);
  for (std::size_t i = 0; i < finer.size(); ++i) {
    const Cell& cell = page.cells[i / factor];
    finer[i].write = cell.write;
    if (cell.others == 0) {
      finer[i].other = cell.other;
      continue;
    }
    const Others others = others_[cell.others - 1];
    for (uint32_t o = 0; o < others.count; ++o) remember_other(finer[i], others.past[o]);
  }
  for (const Cell& cell : page.cells)
    if (cell.others != 0) free_others_.push_back(cell.others - 1);
  bytes_ += (finer.size() - page.cells.size()) * sizeof(Cell);
  page.cells = std::move(finer);
  page.shift = 0;
  return true;
}

void AccessShadow::remember_other(Cell& cell, const Past& past) {
  const auto replaces = [&](const Past& old) {
    return !old.exists() || (old.actor == past.actor && old.writes == past.writes);
  };
  if (cell.others == 0) {
    if (replaces(cell.other)) {
      cell.other = past;
      return;
    }
    uint32_t place = static_cast<uint32_t>(others_.size());
    if (!free_others_.empty()) {
      place = free_others_.back();
      free_others_.pop_back();
    } else {
      if (bytes_ + sizeof(Others) > most_bytes_) {
        is_incomplete_ = true;
        return;
      }
      bytes_ += sizeof(Others);
      others_.emplace_back();
    }
    others_[place].count = 1;
    others_[place].past[0] = cell.other;
    cell.other = {};
    cell.others = place + 1;
  }
  Others& others = others_[cell.others - 1];
  for (uint32_t i = 0; i < others.count; ++i)
    if (replaces(others.past[i])) {
      others.past[i] = past;
      return;
    }
  if (others.count < most_others) {
    others.past[others.count++] = past;
    return;
  }
  // The list is full, so its oldest entry is dropped. If a later access races with the dropped one,
  // it usually also races with another entry; it is missed only if its actor knows all other
  // entries.
  std::ranges::rotate(others.past, others.past.begin() + 1);
  others.past.back() = past;
}

const Past* AccessShadow::last_write(uint64_t address) const {
  const auto at = pages_.find(address >> page_shift);
  if (at == pages_.end()) return nullptr;
  constexpr uint64_t inside = (uint64_t{1} << page_shift) - 1;
  const Past& write = at->second->cells[(address & inside) >> at->second->shift].write;
  return write.exists() ? &write : nullptr;
}

void AccessShadow::clear() {
  pages_.clear();
  others_.clear();
  free_others_.clear();
  last_number_ = ~uint64_t{0};
  last_page_ = nullptr;
  bytes_ = 0;
  is_incomplete_ = false;
}

// --- releases ----------------------------------------------------------------------------------

const Clock* Releases::find(uint64_t address) const {
  const auto at = clocks_.find(address);
  return at == clocks_.end() ? nullptr : &at->second;
}

void Releases::update(uint64_t address, const Clock& base, const Clock& released) {
  const auto [at, is_new] = clocks_.try_emplace(address);
  if (is_new) at->second = base;
  const std::size_t before = is_new ? 0 : at->second.size();
  at->second.join(released);
  if (is_new) entries_ += Clock::own_entries;
  entries_ += at->second.size() - before;
  if (entries_ <= most_entries_) return;
  // Out of memory: all released knowledge is forgotten. Some orders between actors are then
  // unknown, and is_incomplete() returns true.
  is_incomplete_ = true;
  clocks_.clear();
  entries_ = 0;
}

void Releases::forget(uint64_t address) {
  const auto at = clocks_.find(address);
  if (at == clocks_.end()) return;
  entries_ -= Clock::own_entries + at->second.size();
  clocks_.erase(at);
}

}  // namespace heddle::emulator::check
