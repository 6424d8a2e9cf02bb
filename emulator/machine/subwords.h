// Two kinds of instructions of CDNA: SDWA instructions, which operate on bytes and halves of
// registers, and indexed instructions, which add the value of M0 to the numbers of their VGPRs.
#pragma once

#include "emulator/machine/wavefront.h"

namespace heddle::emulator {

// Executes Instruction::subwords: takes the bytes or halves out of the source registers, runs the
// operation on spare registers and writes the result into the selected byte or half of the
// destination register (AMD Instinct MI300 ISA, "SDWA").
const Instruction* run_subwords(Wavefront& w, const Instruction* in);

// taken_out() returns a byte or a half of `word`, moved to the low bits. put_in_place() returns the
// new value of the result's register: `old`, with the low bits of `result` moved to the selected
// byte or half. The words may be values or masks of undefined bits.
uint32_t taken_out(uint32_t word, const Subword& part);
uint32_t put_in_place(uint32_t result, uint32_t old, const SubwordInstruction& in);

// Executes Instruction::indexed: adds M0 to the numbers of the indexed VGPRs (AMD Instinct MI300
// ISA, "VGPR Indexing"). A number that is out of range is a fault.
const Instruction* run_indexed(Wavefront& w, const Instruction* in);

}  // namespace heddle::emulator
