// The registers of pending wgmma instructions.
#pragma once

#include "emulator/ptx/machine.h"

namespace heddle::emulator::ptx {

// True if the instruction may use its registers while a wgmma is pending; otherwise raises a fault.
bool adds_to_sum(const Warp& w, const Record& in);
bool check_busy(Warp& w, const Record& in);

}  // namespace heddle::emulator::ptx
