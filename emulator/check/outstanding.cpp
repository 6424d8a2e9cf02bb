#include "emulator/check/outstanding.h"

#include <algorithm>
#include <bit>

namespace heddle::emulator::check {
namespace {

constexpr uint16_t bit(int counter) { return static_cast<uint16_t>(1u << counter); }

template <class Each>  // void(counter)
void for_counters(uint16_t counters, Each each) {
  for (unsigned rest = counters; rest != 0; rest &= rest - 1) each(std::countr_zero(rest));
}

// True if `later` surely writes its registers after `earlier` has, even without a wait between
// them.
bool writes_in_order(const Effects& earlier, const Effects& later, WaitCounters counters) {
  if (earlier.group != later.group || earlier.counters != later.counters) return false;
  // A flat operation may access LDS or global memory, so two of them can end in any order.
  if (std::popcount(earlier.counters) > 1) return false;
  if (earlier.group == Group::lds) return true;
  return earlier.group != Group::scalar && counters != WaitCounters::apart;
}

}  // namespace

Outstanding::Outstanding(const EffectsTable& effects) : effects_(&effects) {
  for (int counter = 0; counter < counter_count; ++counter)
    limits_[counter] = counter_limit(static_cast<Counter>(counter), effects.counters());
}

void Outstanding::start() {
  operations_.clear();
  ended_ = 0;
  pending_ = {};
  for (LastWait& wait : last_wait_) wait = {};
  for (auto& open : open_) open = {};
  stores_.clear();
  unwritten_.clear();
  write_back_ = 0;
  time_ = 0;
}

void Outstanding::issue(uint32_t instruction, uint32_t lds_trace, uint32_t number, bool followed) {
  const Effects& effects = (*effects_)[instruction];
  // The wave stalls while a counter is at its limit, so older operations have ended.
  for_counters(effects.counters, [&](int counter) {
    const unsigned left = limits_[counter] - 1;
    if (counter == static_cast<int>(Counter::store) || open_[counter].all > left)
      wait_for(static_cast<Counter>(counter), left);
    while (open_[counter].all > left) end_oldest(counter);
  });
  if (effects.counters & bit(static_cast<int>(Counter::store))) stores_.push_back(number);
  // A scalar store with glc bypasses the scalar cache; AMD's own kernels use such stores.
  if (effects.stores && effects.group == Group::scalar && effects.scope == 0)
    unwritten_.push_back(number);
  if (effects.row[0] && effects.row[0]->cache_effects & writes_back_scalar) write_back_ = number;
  // A store writes no register.
  const auto open =
      static_cast<uint16_t>(effects.counters & ~bit(static_cast<int>(Counter::store)));
  if (open == 0) return;
  for_counters(open, [&](int counter) { open_[counter].add(effects.group, 1); });
  constexpr std::size_t most_ended = 128;
  if (ended_ >= most_ended) {
    operations_.erase(operations_.begin(), operations_.begin() + most_ended);
    ended_ -= most_ended;
  }
  const bool loads = !effects.writes.empty();
  operations_.push_back({instruction, open, lds_trace, number, effects.group, loads,
                         /*reported=*/false, followed, ++time_});
  if (loads) pending_ |= effects.loads;
}

void Outstanding::wait(uint32_t instruction) {
  const auto& limits = (*effects_)[instruction].wait;
  ++time_;
  for (int counter = 0; counter < counter_count; ++counter) {
    const int8_t left = limits[static_cast<std::size_t>(counter)];
    if (left < 0) continue;
    last_wait_[counter] = {instruction, static_cast<unsigned>(left), time_};
    wait_for(static_cast<Counter>(counter), static_cast<unsigned>(left));
  }
}

// Handles a wait until at most `left` operations of a counter are outstanding. If M operations were
// outstanding, at least M - left of them have ended; which ones is only partly known.
//
// An operation has certainly ended if fewer than M - left of the others could have ended before it.
// These others are the earlier operations of its group and all operations of other groups. Scalar
// loads end in any order, so a scalar load has certainly ended only if `left` is 0.
void Outstanding::wait_for(Counter counter, unsigned left) {
  if (counter == Counter::store) {
    while (stores_.size() > left) stores_.pop_front();
    return;
  }
  Open& open = open_[static_cast<int>(counter)];
  if (open.all <= left) return;
  const Open before_wait = open;
  const unsigned total = open.all;
  const uint16_t mask = bit(static_cast<int>(counter));
  const unsigned ended = total - left;
  unsigned seen[group_count] = {};
  unsigned may_end = ended;
  std::size_t kept = ended_, i = ended_;
  for (; i < operations_.size() && may_end != 0; ++i) {
    Operation& operation = operations_[i];
    if (operation.open & mask) {
      const int group = static_cast<int>(operation.group);
      const unsigned of_group = before_wait.of_group[group];
      const unsigned before = operation.group == Group::scalar ? of_group - 1 : seen[group];
      ++seen[group];
      if (ended > before + total - of_group) {
        operation.open &= static_cast<uint16_t>(~mask);
        open.add(operation.group, -1);
        --may_end;
      }
    }
    if (operation.open == 0) {
      const Row* const row = (*effects_)[operation.instruction].row[0];
      if (row && row->cache_effects & writes_back_scalar)
        while (!unwritten_.empty() && unwritten_.front() < operation.number) unwritten_.pop_front();
      continue;
    }
    if (kept != i) operations_[kept] = operation;
    ++kept;
  }
  if (kept == i) return;
  // Usually the operations at the front have ended. Moving the few kept ones back leaves the rest
  // in place.
  const auto at = [&](std::size_t n) {
    return operations_.begin() + static_cast<std::ptrdiff_t>(n);
  };
  std::move_backward(at(ended_), at(kept), at(i));
  ended_ += i - kept;
  collect_pending();
}

// The counter is at its limit, so one operation has ended. If the operations may end in any order,
// it is not known which one; the oldest is taken. Without a limit, a kernel that never waits would
// fill the host's memory.
void Outstanding::end_oldest(int counter) {
  const auto oldest =
      std::find_if(operations_.begin() + static_cast<std::ptrdiff_t>(ended_), operations_.end(),
                   [&](const Operation& operation) { return operation.open & bit(counter); });
  for_counters(oldest->open, [&](int other) { open_[other].add(oldest->group, -1); });
  operations_.erase(oldest);
  collect_pending();
}

Progress Outstanding::progress(uint32_t next, bool after_copies) const {
  Progress progress = {next, next};
  for (const Operation& operation : operations()) {
    if (operation.group == Group::lds || !operation.followed) continue;
    if (after_copies && operation.group == Group::async) continue;
    const Effects& effects = (*effects_)[operation.instruction];
    if (!effects.stores) progress.reads = std::min(progress.reads, operation.number);
    if (effects.updates || effects.stores)
      progress.writes = std::min(progress.writes, operation.number);
  }
  if (!unwritten_.empty()) progress.writes = std::min(progress.writes, unwritten_.front());
  if (!stores_.empty()) progress.writes = std::min(progress.writes, stores_.front());
  return progress;
}

std::array<uint32_t, group_count> Outstanding::ended(uint32_t next) const {
  std::array<uint32_t, group_count> ended;
  ended.fill(next);
  for (const Operation& operation : operations()) {
    uint32_t& of_group = ended[static_cast<std::size_t>(operation.group)];
    of_group = std::min(of_group, operation.number);
  }
  return ended;
}

void Outstanding::collect_pending() {
  RegisterSet pending;
  for (const Operation& operation : operations())
    if (operation.loads && !operation.reported) pending |= (*effects_)[operation.instruction].loads;
  pending_ = pending;
}

Operation* Outstanding::read_conflict(const RegisterRange& range) {
  for (Operation& operation : current()) {
    if (operation.reported) continue;
    for (const RegisterRange& written : (*effects_)[operation.instruction].writes)
      if (written.overlaps(range)) return &operation;
  }
  return nullptr;
}

// See the header. The whole register counts, since a load into one half of it may write back the
// other half too, with the value that this half had when the load was issued (LLVM pull requests
// 157795 for gfx11 and 165587 for gfx12).
Operation* Outstanding::write_conflict(RegisterRange range, const Effects* written_by) {
  range.halves = 3;
  for (Operation& operation : current()) {
    if (operation.reported) continue;
    const Effects& effects = (*effects_)[operation.instruction];
    if (written_by && writes_in_order(effects, *written_by, effects_->counters())) continue;
    for (const RegisterRange& written : effects.writes)
      if (written.overlaps(range)) return &operation;
  }
  return nullptr;
}

void Outstanding::forget(Operation& operation) {
  operation.reported = true;
  collect_pending();
}

unsigned Outstanding::in_group_after(const Operation& operation, Counter counter) const {
  const uint16_t mask = bit(static_cast<int>(counter));
  unsigned after = 0;
  for (auto at = &operation + 1; at != operations_.data() + operations_.size(); ++at)
    if (at->open & mask && at->group == operation.group) ++after;
  return after;
}

Outstanding::Need Outstanding::need(const Operation& operation) const {
  const auto counter = static_cast<Counter>(std::countr_zero(operation.open));
  // A flat operation is counted by two counters, and the wave must wait for both; the first is
  // named.
  if (operation.group == Group::scalar) return {counter, 0};
  return {counter, in_group_after(operation, counter)};
}

const LastWait* Outstanding::weak_wait(const Operation& operation, Counter counter) const {
  const LastWait& wait = last_wait_[static_cast<int>(counter)];
  return wait.time > operation.issued ? &wait : nullptr;
}

}  // namespace heddle::emulator::check
