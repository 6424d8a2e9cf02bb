// The registers of pending wgmma and tcgen05.ld, and operands of products in shared memory.
#pragma once

#include "emulator/ptx/machine.h"
#include "heddle/instruction/shared_operand.h"

namespace heddle::emulator::ptx {

// True if the instruction may use its registers while a wgmma is pending; otherwise raises a fault.
bool adds_to_sum(const Warp& w, const Record& in);
bool check_busy(Warp& w, const Record& in);

// The address of a byte of an operand by its descriptor (instruction::matrix_descriptor defines its
// offsets): `along` bytes on the axis that is contiguous in memory, and row or column `across`.
uint32_t operand_address(const instruction::MatrixDescriptor& descriptor, instruction::Major major,
                         uint32_t along, uint32_t across);

// Lets the trial of this launch change an operand's descriptor for an instruction. `word` may be no
// descriptor at all; then it is not changed.
void try_operand(const Warp& w, bool is_b, instruction::DescriptorForm form, int bits,
                 uint64_t& word, instruction::Major& major);

}  // namespace heddle::emulator::ptx
