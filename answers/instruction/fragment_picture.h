// The matrix view of an instruction's operands as a drawing.
#pragma once

#include <span>
#include <string>

#include "answers/instruction/selection.h"

namespace heddle::answers {

/// An SVG drawing with one grid for each operand. A cell has the elements that share a register, in
/// the colour of their lane, with the lane above and the register below. The formulas of both stand
/// below the grid. It is readable without colour, and fits a column of print: if a matrix has too
/// many rows, columns or blocks, only the first and the last are drawn. A, B and D are placed as in
/// a product: B above D, A to its left. Each of `operands` must have a map.
std::string fragment_svg(const Selection& selection,
                         std::span<const instruction::Operand> operands);

}  // namespace heddle::answers
