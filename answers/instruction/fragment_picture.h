// A drawing of the operands of an instruction: which lane and register holds each element.
#pragma once

#include <span>
#include <string>

#include "answers/instruction/selection.h"

namespace heddle::answers {

/// An SVG drawing with one grid for each operand. A cell of the grid has the elements that share a
/// register, in the colour of their lane, with the lane's number above and the register's below.
/// The formulas for the lane and the register stand below the grid. The drawing is readable without
/// colour, and fits a column of print: if a matrix has too many rows, columns or blocks, only the
/// first and the last rows and columns, or the first two blocks, are drawn. A, B and D are placed
/// as in a product: B above D, A to the left of D. Each of `operands` must have a map.
std::string fragment_svg(const Selection& selection,
                         std::span<const instruction::Operand> operands);

}  // namespace heddle::answers
