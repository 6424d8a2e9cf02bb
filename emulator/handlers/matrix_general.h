// One handler for every matrix instruction of RDNA's catalogue: wave32 and wave64, dense and
// sparse, with and without saturation. It is slower than the unrolled handlers, since it follows
// tables.
#pragma once

#include "emulator/handlers/lanes.h"
#include "emulator/machine/matrix_copies.h"

namespace heddle::emulator::HEDDLE_LEVEL {

// Executes a matrix instruction. Instruction::extra is the number of its row in rdna_instructions.
// For a sparse instruction, source[2] is the index register, and Instruction::offset is the index
// key.
const Instruction* multiply_general(Wavefront& w, const Instruction* in);

// On gfx11, some lanes must have copies of the A and B of other lanes; if they do not, the
// hardware's result is undefined. Returns the lowest lane that does not have its copy; -1 if all
// have. See first_unequal_copy() in machine/matrix_copies.h.
HEDDLE_INLINE int unequal_copy(const Wavefront& w, const Instruction* in, int a_registers,
                               int b_registers, int wave) {
  const auto operand = [&](const Source& s, int registers) -> CopiedOperand {
    return {s.index, s.kind == SourceKind::vgpr ? static_cast<unsigned>(registers) : 0u};
  };
  return first_unequal_copy(w, operand(in->source[0], a_registers),
                            operand(in->source[1], b_registers), static_cast<unsigned>(wave));
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
