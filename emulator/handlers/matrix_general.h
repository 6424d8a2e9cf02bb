// One handler for every matrix instruction of the catalogue: wave32 and wave64, dense and sparse,
// with saturation or without. It follows tables instead of unrolled code.
#pragma once

#include "emulator/handlers/lanes.h"
#include "emulator/machine/matrix_copies.h"

namespace heddle::emulator::HEDDLE_LEVEL {

// Instruction::extra is the row of rdna_instructions. For sparse instructions source[2] is the
// index, and Instruction::offset the index key.
const Instruction* multiply_general(Wavefront& w, const Instruction* in);

// As first_unequal_copy() of machine/matrix_copies.h. The hardware's result would be undefined.
HEDDLE_INLINE int unequal_copy(const Wavefront& w, const Instruction* in, int a_registers,
                               int b_registers, int wave) {
  const auto operand = [&](const Source& s, int registers) -> CopiedOperand {
    return {s.index, s.kind == SourceKind::vgpr ? static_cast<unsigned>(registers) : 0u};
  };
  return first_unequal_copy(w, operand(in->source[0], a_registers),
                            operand(in->source[1], b_registers), static_cast<unsigned>(wave));
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
