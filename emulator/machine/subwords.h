// SDWA of CDNA: operations on bytes and halves of registers.
#pragma once

#include "emulator/machine/wavefront.h"

namespace heddle::emulator {

// Executes Instruction::subwords: takes the sources out of their registers, runs the operation on
// spare registers and puts the result where it belongs (AMD Instinct MI300 ISA, "SDWA").
const Instruction* run_subwords(Wavefront& w, const Instruction* in);

}  // namespace heddle::emulator
