// The knowledge that waves of a workgroup pass to each other at barriers: at the workgroup's
// barrier, at named barriers, and at barriers in LDS (gfx1250). "Knowledge" says which accesses of
// other waves have happened (see happens_before.h).
//
// Waves may arrive at a barrier at different instructions; only the number of arrivals matters. A
// barrier is used in rounds:
// - A wave that arrives adds its knowledge to the current round.
// - A wave that waits gets the knowledge of all complete rounds.
// - A wave that ends counts as arrived in all later rounds: the barrier no longer waits for it
// (LLVM, "AMDGPU Execution Synchronization", "s_barrier": a wave that ends drops the barrier).
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
  // One round of one barrier. `barrier` names the barrier: the number of a named barrier,
  // of_workgroup, or in_lds(address).
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
  // Returns the knowledge of all complete rounds of a barrier. `round` is the barrier and its round
  // at the time when the waiting wave continues.
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
