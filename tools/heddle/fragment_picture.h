// The matrix view of an instruction's operands as a drawing.
#pragma once

#include <span>
#include <string>

#include "heddle/instruction/catalogue.h"

namespace heddle::tool {

/// An SVG drawing: one grid for each operand, a cell for each element, coloured by lane, with the
/// lane above and the register (and the element inside it, from its lowest bits) below. Readable
/// without colour. Each of `operands` must be one that `instruction` has.
std::string fragment_svg(const instruction::Instruction& instruction, instruction::Target target,
                         std::span<const instruction::Operand> operands, instruction::KOrder order);

}  // namespace heddle::tool
