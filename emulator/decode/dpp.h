// DPP: which lane each lane reads, from the modifiers of an instruction.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "emulator/decode/assembly_text.h"
#include "emulator/machine/instruction.h"

namespace heddle::emulator {

// Nothing if the instruction has no DPP modifier; a sentence if it has an unknown one. The result
// is for the 32 lanes whose rows of 16 begin at `first_row`, which is 0, or 2 in the upper half of
// wave64. Meanings: LLVM "AMDGPU Instruction Modifiers", DPP; RDNA3 ISA, "DPP".
std::expected<std::optional<LaneSelection>, std::string> lane_selection(const TextInstruction& text,
                                                                        int first_row);

}  // namespace heddle::emulator
