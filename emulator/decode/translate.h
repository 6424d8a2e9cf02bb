// One line of assembly to one Instruction: the operands go where the form of its table row says.
#pragma once

#include <deque>
#include <expected>
#include <string>

#include "emulator/decode/assembly_text.h"
#include "emulator/handlers/row.h"
#include "emulator/machine/instruction.h"

namespace heddle::emulator {

// Why an instruction cannot be executed.
struct Obstacle {
  bool unknown = false;  // the emulator has no such opcode; else: not in this form
  std::string message;
};

struct Translation {
  Instruction instruction;
  bool is_branch = false;
  int64_t branch_words = 0;  // from the next instruction, in units of 4 bytes
};

// `first_word`: the first 32 bits of the encoding. DPP lane selections are added to `selections`.
std::expected<Translation, Obstacle> translate(const TextInstruction& text, int generation,
                                               uint32_t first_word,
                                               std::deque<LaneSelection>& selections);

}  // namespace heddle::emulator
