// Finds the hot loop of a kernel, which is its innermost loop with matrix instructions, and counts
// the instructions in it. It works for code objects of any compiler.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/decode/code_object.h"
#include "emulator/record/report.h"

namespace heddle::emulator {

/// Static counts for one iteration of the loop. Waits are s_waitcnt and s_wait_*. For a barrier
/// only the signal is counted, so that gfx12's signal and wait count as one.
struct HotLoop {
  uint64_t first = 0, last = 0;      // addresses in the image: the branch's target, and the branch
  std::vector<OpcodeCount> opcodes;  // most frequent first
  uint64_t instructions = 0;
  uint64_t matrix = 0;
  uint64_t lds_loads = 0, lds_loads_128 = 0;  // all loads, and those of 16 bytes a lane
  uint64_t lds_stores = 0;
  uint64_t global_loads = 0;  // global, flat and buffer
  uint64_t global_stores = 0;
  uint64_t barriers = 0;
  uint64_t waits = 0;
  uint64_t scratch = 0;  // accesses by spills, or by arrays without registers

  /// The share of matrix instructions among all instructions.
  double matrix_share() const {
    return instructions == 0 ? 0 : static_cast<double>(matrix) / static_cast<double>(instructions);
  }
};

/// Finds the innermost loop with the most matrix instructions; nothing if no loop has any. A kernel
/// extends from its entry to the next kernel's entry. A loop is the code from the target of a
/// backward branch to the branch.
std::optional<HotLoop> find_hot_loop(const CodeObject& object, const Kernel& kernel);

}  // namespace heddle::emulator
