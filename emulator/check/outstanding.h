// The outstanding memory operations of a wave: those that may not have ended yet. If such an
// operation will write a register, the register must not be used until the wave has waited for the
// operation.
//
// Rules: RDNA3 ISA, sections 4.4 "Data dependency resolution" and 11.1.1 "Flat"; RDNA4 ISA, the
// same chapters. The order in which vector memory writes registers: LLVM's hasVmemWriteVgprInOrder,
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

  // Which of the wave's accesses to global memory have ended; only accesses that are followed (see
  // Races) count. `next` is the number of the wave's next operation. If `after_copies`, its copies
  // between memory and LDS are assumed to have ended.
  Progress progress(uint32_t next, bool after_copies = false) const;
  // For each group of operations, a number: all operations of the group with smaller numbers have
  // ended. `next` is the number of the wave's next operation.
  std::array<uint32_t, group_count> ended(uint32_t next) const;

  // About scalar stores whose data may still be only in the scalar cache (unwritten stores):
  // - has_unwritten: there is at least one.
  // - is_unwritten: the store with this number is one.
  // - lacks_write_back: there is one that was issued after the last write-back.
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
  // The wave writes the registers `range`. Returns an outstanding operation that conflicts with
  // this write; null if there is none. If a memory operation writes the registers, `written_by` is
  // its effects: earlier loads whose results surely arrive before its own do not conflict. Null for
  // other instructions.
  Operation* write_conflict(RegisterRange range, const Effects* written_by);
  void forget(Operation& operation);

  // The counter for which the wave must wait so that `operation` has certainly ended, and the
  // number of operations that may remain outstanding after the wait.
  struct Need {
    Counter counter;
    unsigned left;
  };
  Need need(const Operation& operation) const;
  // The last wait for `counter` since `operation` was issued; it was too weak, since it let too
  // many operations remain. Null if there was no wait.
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
  // For one counter: how many of the operations that it counts may still be outstanding, in all and
  // in each group.
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
