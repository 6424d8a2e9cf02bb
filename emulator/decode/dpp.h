// DPP: which lane each lane reads, from the modifiers of an instruction.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "emulator/decode/assembly_text.h"
#include "emulator/machine/instruction.h"

namespace heddle::emulator {

// Nothing when the instruction has no DPP modifier; a sentence when it has one that is not known.
// Meanings: LLVM "AMDGPU Instruction Modifiers", DPP; RDNA3 ISA, "DPP".
std::expected<std::optional<LaneSelection>, std::string> lane_selection(
    const TextInstruction& text);

}  // namespace heddle::emulator
