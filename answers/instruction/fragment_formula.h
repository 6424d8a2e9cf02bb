// Formulas that give the place of an element (its lane, register and bits) from the element's row
// and column. Also: how many elements share a register.
#pragma once

#include <string>
#include <vector>

#include "answers/instruction/selection.h"

namespace heddle::answers {

/// How many adjacent rows, and how many adjacent columns, of the matrix have their elements in one
/// register. The count begins with the element in the register's lowest bits.
struct Packing {
  int rows = 1;
  int columns = 1;
  bool whole_register = true;  // together they fill a register
};

Packing packing_of(const Selection& selection, instruction::Operand operand);

/// The formulas for the place of an element: "lane = (m / 4) % 2 * 32 + n", "register = ..." and,
/// if a register holds several elements, the formula for the element's lowest bit. If several lanes
/// hold the same element, the first formula gives the lowest of these lanes, and ", and again + 16"
/// after it gives the others: 16 is added to the lane. Modifiers are ignored.
std::vector<std::string> place_formulas(const Selection& selection, instruction::Operand operand);

}  // namespace heddle::answers
