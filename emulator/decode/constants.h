// Converts constants in the text of an instruction to the bits that an operand of a type gets.
#pragma once

#include "emulator/decode/assembly_text.h"
#include "emulator/handlers/row.h"
#include "emulator/machine/instruction.h"

namespace heddle::emulator {

// For the inline constants of the hardware that are not integers: 0.5, 1.0, 2.0 and 4.0, with both
// signs, and 1/(2*pi) (RDNA3 ISA, "Inline constants"). Returns the bits that an operand of `type`
// gets. An f16 or bf16 operand gets the number in that format, a 64-bit operand as an f64, and
// every other operand, even a 16-bit integer, the bits of the f32. LLVM and the hardware agree.
Source real_constant(double x, Type type);

// is_wide_literal: true if the number needs more than 32 bits.
//
// integer_constant: the bits that an operand of `type` gets from an integer in the text.
// - A hexadecimal number is a literal of 32 bits. For an f64 operand it is the upper word;
// otherwise the operand's type decides whether it is extended with zeros or with its sign.
// - Other integers are inline constants, which are always extended with their sign.
bool is_wide_literal(const TextOperand& operand);
Source integer_constant(const TextOperand& operand, Type type);

}  // namespace heddle::emulator
