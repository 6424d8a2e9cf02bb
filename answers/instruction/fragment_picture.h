// The matrix view of an instruction's operands as a drawing.
#pragma once

#include <span>
#include <string>

#include "answers/instruction/selection.h"

namespace heddle::answers {

/// An SVG drawing: one grid for each operand, a cell for each register's neighbours, coloured by
/// lane, with the lane above and the register below; below the grid the formulas of both. Readable
/// without colour, and at the width of a column of print: where a matrix has more rows, columns or
/// blocks than that allows, the first and the last are drawn. A, B and D stand as in a product: B
/// above D, A to its left. Each of `operands` must be one that has a map.
std::string fragment_svg(const Selection& selection,
                         std::span<const instruction::Operand> operands);

}  // namespace heddle::answers
