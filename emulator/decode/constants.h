// Constants in the text of an instruction as the bits its operand type sees.
#pragma once

#include "emulator/decode/assembly_text.h"
#include "emulator/handlers/row.h"
#include "emulator/machine/instruction.h"

namespace heddle::emulator {

// 0.5, 1.0, 2.0, 4.0, with both signs, and 1/(2*pi): the small constants of the hardware (RDNA3
// ISA, "Inline constants"), in the format of the operand. LLVM and the hardware agree on it: an f16
// or bf16 operand has the number in that format, a 64-bit one as an f64, and every other one,
// 16-bit integers included, has the bits of the f32.
Source real_constant(double x, Type type);

// A hexadecimal number is a literal of 32 bits: the upper word of an f64, else extended with zeros
// or the sign by the type. Small constants always extend their sign.
// Whether a number takes more than 32 bits.
bool is_wide_literal(const TextOperand& operand);
Source integer_constant(const TextOperand& operand, Type type);

}  // namespace heddle::emulator
