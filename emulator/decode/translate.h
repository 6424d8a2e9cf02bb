// Translates one line of assembly to one Instruction. Where its operands go follows from the form
// in its row of the opcode table.
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
  // DPP of CDNA may read lanes of the other half of the wave. The two halves must then read the
  // first source before either of them writes it. This is the number of the source's register; -1
  // for instructions that do not read the other half.
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

// The row of the opcode table for an instruction; null if there is none. Loads into LDS have
// separate rows, even if only a modifier distinguishes them from loads into registers.
const Row* find_row(const TextInstruction& text, const Target& target, int wave);

// For the instruction s_set_gpr_idx_on: which operands of the instructions after it get M0 added to
// their register numbers (IndexedOperand).
uint8_t indexed_operands(const TextInstruction& text);

// Translates an instruction. `first_word` is the first 32 bits of its encoding. What the
// Instruction refers to (the data of DPP and SDWA, and literals) is added to `attachments`, which
// must outlive it. The error is the reason why the instruction cannot be executed: its opcode has
// no row, or the row does not support this form of operands or modifiers.
std::expected<Translation, std::string> translate(const TextInstruction& text,
                                                  const Machine& machine, uint32_t first_word,
                                                  Attachments& attachments);

}  // namespace heddle::emulator
