// Registers of wgmma under way.
#pragma once

#include "emulator/ptx/machine.h"

namespace heddle::emulator::ptx {

// Whether the instruction may use its registers while wgmma is under way; a fault where not.
bool adds_to_sum(const Warp& w, const Record& in);
bool check_busy(Warp& w, const Record& in);

}  // namespace heddle::emulator::ptx
