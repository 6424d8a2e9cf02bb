// mma.sync of sm_120 with elements of fewer than 8 bits, and with scales.
#pragma once

#include "emulator/ptx/decoder.h"

namespace heddle::emulator::ptx {

// mma with .kind::f8f6f4 or .block_scale
bool decode_narrow_multiply(Decoder& d);

}  // namespace heddle::emulator::ptx
