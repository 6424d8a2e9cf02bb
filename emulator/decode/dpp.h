// Decodes DPP: from the modifiers of an instruction, which lane each lane reads.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "emulator/decode/assembly_text.h"
#include "emulator/machine/instruction.h"

namespace heddle::emulator {

// Which lane each of 32 lanes reads. Null if the instruction has no DPP modifier. Error, as a
// sentence: a modifier is unknown. `first_row` is the number of the row of 16 lanes at which the 32
// lanes begin: 0, or 2 for the upper half of wave64. Meanings: LLVM "AMDGPU Instruction Modifiers",
// DPP; RDNA3 ISA, "DPP".
std::expected<std::optional<LaneSelection>, std::string> lane_selection(const TextInstruction& text,
                                                                        int first_row);

}  // namespace heddle::emulator
