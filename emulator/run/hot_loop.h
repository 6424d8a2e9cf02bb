// The loop in which a kernel multiplies: the innermost one with matrix instructions, and what
// stands in it. Of any code object, whoever compiled it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/decode/code_object.h"
#include "emulator/record/report.h"

namespace heddle::emulator {

/// Static counts of one turn of the loop. Waits are s_waitcnt and s_wait_*; barriers are counted as
/// signals, so that gfx12's signal and wait are one.
struct HotLoop {
  uint64_t first = 0, last = 0;      // addresses of the image: the target of the branch, the branch
  std::vector<OpcodeCount> opcodes;  // most frequent first
  uint64_t instructions = 0;
  uint64_t matrix = 0;
  uint64_t lds_loads = 0, lds_loads_128 = 0;  // all, and those of 16 bytes a lane
  uint64_t lds_stores = 0;
  uint64_t global_loads = 0;  // global, flat and buffer
  uint64_t global_stores = 0;
  uint64_t barriers = 0;
  uint64_t waits = 0;
  uint64_t scratch = 0;  // spills, or arrays that found no registers

  /// Of the instructions, how many multiply.
  double matrix_share() const {
    return instructions == 0 ? 0 : static_cast<double>(matrix) / static_cast<double>(instructions);
  }
};

/// Of several innermost loops with matrix instructions, the one with the most; nothing if the
/// kernel has none. A kernel reaches from its entry to the next one's, and a loop is what a branch
/// backwards encloses.
std::optional<HotLoop> find_hot_loop(const CodeObject& object, const Kernel& kernel);

}  // namespace heddle::emulator
