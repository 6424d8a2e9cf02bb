// The views of an instruction's operands as a page for a browser.
#pragma once

#include <span>
#include <string>

#include "answers/instruction/selection.h"

namespace heddle::answers {

/// One file of HTML that needs no other: for each operand the matrix view and the register view, of
/// all elements. Under the pointer a lane is marked in all tables, its register in both views of
/// the operand, and both are named at the foot. Colours say the lane a second time, so that a page
/// in black and white loses nothing. Each of `operands` must be one that has a map.
std::string fragment_page(const Selection& selection,
                          std::span<const instruction::Operand> operands);

}  // namespace heddle::answers
