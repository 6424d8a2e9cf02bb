// Constants in the text of an instruction as the bits its operand type sees.
#pragma once

#include "emulator/decode/assembly_text.h"
#include "emulator/handlers/row.h"
#include "emulator/machine/instruction.h"

namespace heddle::emulator {

// 0.5, 1.0, 2.0, 4.0, with both signs, and 1/(2*pi): the small constants of the hardware (RDNA3
// ISA, "Inline constants"), in the format of the operand. LLVM and the hardware agree: an f16 or
// bf16 operand has the number in that format, a 64-bit operand has it as an f64, and every other
// operand, 16-bit integers included, has the bits of the f32.
Source real_constant(double x, Type type);

// True if a number needs more than 32 bits. A hexadecimal number is a literal of 32 bits: it is the
// upper word of an f64; otherwise the type says whether it is extended with zeros or with its sign.
// Small constants always extend their sign.
bool is_wide_literal(const TextOperand& operand);
Source integer_constant(const TextOperand& operand, Type type);

}  // namespace heddle::emulator
