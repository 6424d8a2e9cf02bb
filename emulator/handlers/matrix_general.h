// One handler for every matrix instruction of the catalogue: wave32 and wave64, dense and sparse,
// with saturation or without. It follows tables instead of unrolled code.
#pragma once

#include "emulator/handlers/lanes.h"

namespace heddle::emulator::HEDDLE_LEVEL {

// Instruction::extra: the row of rdna_instructions; of sparse ones source[2] is the index and
// Instruction::offset the index key.
const Instruction* multiply_general(Wavefront& w, const Instruction* in);

}  // namespace heddle::emulator::HEDDLE_LEVEL
