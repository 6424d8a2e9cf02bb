// One line of assembly to one Instruction: the operands go where the form of its table row says.
#pragma once

#include <deque>
#include <expected>
#include <string>
#include <vector>

#include "emulator/decode/assembly_text.h"
#include "emulator/handlers/row.h"
#include "emulator/machine/instruction.h"
#include "emulator/machine/target.h"

namespace heddle::emulator {

struct Translation {
  Instruction instruction;
  bool is_branch = false;
  int64_t branch_words = 0;  // from the next instruction, in units of 4 bytes
  bool by_halves = false;    // in a wave of 64, one instruction for each half
  // Those have to see each other's first source as it was (DPP of CDNA): its register, or -1.
  int shared_source = -1;
  bool mask_destination = false, carry_out = false;  // scalar registers it writes a bit per lane to
  bool writes_exec = false;
  bool sets_float_mode = false;  // writes MODE
  bool in_other_mode = false;    // its result is f16 or f64, whose mode is its own
};

// The target for which an instruction is decoded.
struct Machine {
  const Target& target;
  int wave = 32;            // lanes
  bool upper_half = false;  // of a wave of 64: as lanes 32 to 63 execute it
  uint8_t indexed = 0;      // IndexedOperand: those whose register numbers M0 is added to
};

// The objects to which instructions point.
struct Attachments {
  std::deque<LaneSelection> selections;     // of DPP
  std::deque<SubwordInstruction> subwords;  // of SDWA
  std::deque<IndexedInstruction> indexed;
  std::vector<uint64_t> literals;  // of 64 bits
};

// The row for an instruction, or null. A load into LDS has a separate row, even if only a modifier
// makes it one.
const Row* find_row(const TextInstruction& text, const Target& target, int wave);

// The operands of later instructions that s_set_gpr_idx_on changes: IndexedOperand.
uint8_t indexed_operands(const TextInstruction& text);

// `first_word`: the first 32 bits of the encoding. DPP and SDWA add to `attachments`. Error: why
// the instruction cannot be executed, because the opcode has no row or its row does not take this
// form.
std::expected<Translation, std::string> translate(const TextInstruction& text,
                                                  const Machine& machine, uint32_t first_word,
                                                  Attachments& attachments);

}  // namespace heddle::emulator
