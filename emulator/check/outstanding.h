// The memory operations of a wave that may not have ended. A register that one of them will write
// must not be used before a wait guarantees that the operation has ended.
//
// Rules: RDNA3 ISA, sections 4.4 "Data dependency resolution" and 11.1.1 "Flat"; RDNA4 ISA, the
// same chapters; the order in which vector memory writes registers: LLVM's hasVmemWriteVgprInOrder,
// which gfx11 has but gfx12 lacks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "emulator/check/effects.h"
#include "emulator/check/happens_before.h"

namespace heddle::emulator::check {

struct Operation {
  uint32_t instruction = 0;
  uint16_t open = 0;       // the counters, a bit each, in which it may still count
  uint32_t lds_trace = 0;  // where its LDS accesses are kept
  uint32_t number = 0;     // among the wave's memory operations
  Group group = Group::vector_memory;
  bool loads = false;     // it writes registers
  bool reported = false;  // which no longer count as pending
  bool followed = false;  // it matters to other waves when it has ended
  uint64_t issued = 0;    // the time
};

// The last wait for a counter.
struct LastWait {
  uint32_t instruction = 0;
  unsigned left = 0;
  uint64_t time = 0;  // 0: there was none
};

class Outstanding {
 public:
  explicit Outstanding(const EffectsTable& effects);

  void start();
  void issue(uint32_t instruction, uint32_t lds_trace, uint32_t number, bool followed);
  void wait(uint32_t instruction);

  // Which of the followed accesses of the wave to global memory have ended. `next` is the number of
  // its next operation. `after_copies`: assume that its copies between memory and LDS have ended
  // too.
  Progress progress(uint32_t next, bool after_copies = false) const;
  // Of each group: its operations below the number have ended.
  std::array<uint32_t, group_count> ended(uint32_t next) const;

  // The scalar stores that the scalar cache may still hold: whether there are any, whether a given
  // one is among them, and whether no write-back was requested.
  bool has_unwritten() const { return !unwritten_.empty(); }
  bool is_unwritten(uint32_t number) const {
    return std::ranges::binary_search(unwritten_, number);  // in the order of their issue
  }
  bool lacks_write_back() const { return !unwritten_.empty() && unwritten_.back() >= write_back_; }

  // Registers that an operation may still write.
  const RegisterSet& pending() const { return pending_; }
  std::span<const Operation> operations() const { return std::span(operations_).subspan(ended_); }

  // The oldest operation that may still write a register of `range`, which is now read.
  Operation* read_conflict(const RegisterRange& range);
  // The operation that conflicts with a write to these registers. `written_by`: the writing
  // instruction, if it is a load whose result arrives after those of earlier loads of its kind;
  // else null.
  Operation* write_conflict(RegisterRange range, const Effects* written_by);
  void forget(Operation& operation);

  // The counter to wait for, and the most that may be left for `operation` to have ended.
  struct Need {
    Counter counter;
    unsigned left;
  };
  Need need(const Operation& operation) const;
  // The wait for the counter that came after the operation and was too weak; null when none did.
  const LastWait* weak_wait(const Operation& operation, Counter counter) const;

 private:
  void wait_for(Counter counter, unsigned left);
  void end_oldest(int counter);
  void collect_pending();
  unsigned in_group_after(const Operation& operation, Counter counter) const;

  const EffectsTable* effects_;
  std::span<Operation> current() { return std::span(operations_).subspan(ended_); }

  std::vector<Operation> operations_;  // in the order of issue
  std::size_t ended_ = 0;              // of them, so many at the front
  RegisterSet pending_;
  LastWait last_wait_[counter_count];
  // Operations that may still count in a counter.
  struct Open {
    unsigned all = 0, of_group[group_count] = {};
    void add(Group group, int count) {
      all += static_cast<unsigned>(count);
      of_group[static_cast<int>(group)] += static_cast<unsigned>(count);
    }
  };
  Open open_[counter_count];
  unsigned limits_[counter_count];
  std::deque<uint32_t> stores_;     // numbers of those that may not have ended: they end in order
  std::deque<uint32_t> unwritten_;  // numbers of scalar stores
  uint32_t write_back_ = 0;         // the number of the last write-back of the scalar cache
  uint64_t time_ = 0;
};

}  // namespace heddle::emulator::check
