// The matrix view of an instruction's operands as a drawing.
#pragma once

#include <span>
#include <string>

#include "tools/heddle/selection.h"

namespace heddle::tool {

/// An SVG drawing: one grid for each operand, a cell for each element, coloured by lane, with the
/// lane above and the register (and the element inside it, from its lowest bits) below. Readable
/// without colour. Several blocks stand below each other. Each of `operands` must be one
/// that the instruction has.
std::string fragment_svg(const Selection& selection,
                         std::span<const instruction::Operand> operands);

}  // namespace heddle::tool
