// Formulas for the place of an element from its row and column; and the elements that share a
// register.
#pragma once

#include <string>
#include <vector>

#include "answers/instruction/selection.h"

namespace heddle::answers {

/// How many rows and columns of the matrix are adjacent in one register, counted from its lowest
/// bits.
struct Packing {
  int rows = 1;
  int columns = 1;
  bool whole_register = true;  // together they fill a register
};

Packing packing_of(const Selection& selection, instruction::Operand operand);

/// "lane = (m / 4) % 2 * 32 + n", "register = ...", and the bits if a register holds several
/// elements. An element with copies has the first lane, and then "again in lane + 16". Modifiers
/// are ignored.
std::vector<std::string> place_formulas(const Selection& selection, instruction::Operand operand);

}  // namespace heddle::answers
