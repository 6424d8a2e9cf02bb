// Where an element lies, as formulas over its row and column; and which neighbours share a
// register.
#pragma once

#include <string>
#include <vector>

#include "answers/instruction/selection.h"

namespace heddle::answers {

/// How many rows and columns of the matrix lie side by side in one register, counted from its
/// lowest bits.
struct Packing {
  int rows = 1;
  int columns = 1;
  bool whole_register = true;  // together they fill a register
};

Packing packing_of(const Selection& selection, instruction::Operand operand);

/// "lane = (m / 4) % 2 * 32 + n", "register = ...", and where a register holds several elements the
/// bits; of copies the first lane, and then "again in lane + 16". Without modifiers.
std::vector<std::string> place_formulas(const Selection& selection, instruction::Operand operand);

}  // namespace heddle::answers
