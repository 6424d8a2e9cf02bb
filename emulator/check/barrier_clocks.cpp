#include "emulator/check/barrier_clocks.h"

#include <utility>

namespace heddle::emulator::check {

void Told::join(const Told& other) {
  seen.join(other.seen);
  near.join(other.near);
  lds_ended.join(other.lds_ended);
  lds_issued.join(other.lds_issued);
}

void BarrierClocks::start() {
  workgroup_ = {};
  others_.clear();
}

BarrierClocks::Barrier& BarrierClocks::barrier(Round round) {
  Barrier& found = round.barrier == of_workgroup ? workgroup_ : others_[round.barrier];
  if (found.round != round.number) {
    found.round = round.number;
    found.complete.join(std::exchange(found.arriving, {}));
  }
  return found;
}

}  // namespace heddle::emulator::check
