// The knowledge that waves of a workgroup exchange at barriers: at the workgroup's barrier, at
// named barriers, and at barriers in LDS (gfx1250). Waves may arrive at a barrier at different
// instructions; only the number of arrivals matters.
//
// A barrier has rounds. A wave that arrives adds its knowledge to the current round. A wave that
// waits learns the knowledge of all complete rounds. A wave that ends counts as arrived: the
// barrier no longer waits for it (LLVM, "AMDGPU Execution Synchronization", "s_barrier": a wave
// that ends drops the barrier, and so takes part in all later rounds).
#pragma once

#include <cstdint>
#include <map>

#include "emulator/check/happens_before.h"

namespace heddle::emulator::check {

// A wave's knowledge about the others.
struct Told {
  Clock seen, near;             // of global memory: check/races.h
  Clock lds_ended, lds_issued;  // of LDS, where its races are found by clocks: check/lds_order.h
  void join(const Told& other);
};

class BarrierClocks {
 public:
  // A barrier and its current round. Named barriers have a number; those in LDS have an address.
  struct Round {
    uint64_t barrier;
    uint32_t number;
  };
  static constexpr uint64_t of_workgroup = ~uint64_t{0};
  static constexpr uint64_t in_lds(uint32_t address) { return uint64_t{1} << 32 | address; }

  // A workgroup begins.
  void start();
  // `round`: as it was before the arrival.
  void arrive(Round round, const Told& told) { barrier(round).arriving.join(told); }
  // `round`: as it is when the wave goes on.
  const Told& learn(Round round) { return barrier(round).complete; }
  // Whether a wave has arrived there.
  bool is_barrier(uint64_t barrier) const { return others_.contains(barrier); }
  bool has_any_in_lds() const { return others_.upper_bound(in_lds(0) - 1) != others_.end(); }

 private:
  struct Barrier {
    uint32_t round = 0;  // which `arriving` is of
    Told arriving, complete;
  };
  Barrier& barrier(Round round);

  Barrier workgroup_;
  std::map<uint64_t, Barrier> others_;
};

}  // namespace heddle::emulator::check
