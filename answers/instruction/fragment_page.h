// The views of an instruction's operands as a page for a browser.
#pragma once

#include <span>
#include <string>

#include "answers/instruction/selection.h"

namespace heddle::answers {

/// One file of HTML that needs no other: for each operand the matrix view and the register view, of
/// all elements. The lane under the pointer is marked in all tables, and its register in both views
/// of the operand; the foot of the page names both. Colours only repeat the lane, so a page in
/// black and white loses nothing. Each of `operands` must be one that has a map.
std::string fragment_page(const Selection& selection,
                          std::span<const instruction::Operand> operands);

}  // namespace heddle::answers
