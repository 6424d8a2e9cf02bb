// SDWA of CDNA, operations on bytes and halves of registers; and CDNA's operations on registers
// whose numbers are in M0.
#pragma once

#include "emulator/machine/wavefront.h"

namespace heddle::emulator {

// Executes Instruction::subwords: takes the sources out of their registers, runs the operation on
// spare registers and puts the result where it belongs (AMD Instinct MI300 ISA, "SDWA").
const Instruction* run_subwords(Wavefront& w, const Instruction* in);

// taken_out() moves a part of a word to the low bits. put_in_place() moves a result's low bits to
// their place in the register, which held `old`. Undefined bits are moved in the same way.
uint32_t taken_out(uint32_t word, const Subword& part);
uint32_t put_in_place(uint32_t result, uint32_t old, const SubwordInstruction& in);

// Executes Instruction::indexed with M0 added to the numbers of its indexed VGPRs (AMD Instinct
// MI300 ISA, "VGPR Indexing"). Beyond the registers: a fault.
const Instruction* run_indexed(Wavefront& w, const Instruction* in);

}  // namespace heddle::emulator
