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
  bool by_halves = false;    // in a wave of 64, one instruction for each half
  bool mask_destination = false, carry_out = false;  // scalar registers it writes a bit per lane to
  bool writes_exec = false;
  bool sets_float_mode = false;  // writes MODE
  bool in_other_mode = false;    // its result is f16 or f64, whose mode is its own
};

// What an instruction is decoded for.
struct Machine {
  int generation;           // 11 or 12
  int wave = 32;            // lanes
  bool upper_half = false;  // of a wave of 64: as lanes 32 to 63 execute it
};

// `first_word`: the first 32 bits of the encoding. DPP lane selections are added to `selections`.
std::expected<Translation, Obstacle> translate(const TextInstruction& text, const Machine& machine,
                                               uint32_t first_word,
                                               std::deque<LaneSelection>& selections);

}  // namespace heddle::emulator
