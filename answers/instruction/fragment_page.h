// A page for a browser that shows who holds the elements of an instruction's operands.
#pragma once

#include <span>
#include <string>

#include "answers/instruction/selection.h"

namespace heddle::answers {

/// A self-contained HTML file. Each of `operands` must have a map, and the file has two tables for
/// each of them. Each table has all elements of the operand:
/// - the matrix view gives the lane and register of each element,
/// - the register view gives the elements in each register of each lane.
///
/// The page marks the lane of the element under the mouse pointer in the tables of all operands,
/// and the element's register in the two tables of its own operand. The foot of the page names that
/// lane and register. Colours only repeat the lane, so a page in black and white loses nothing.
std::string fragment_page(const Selection& selection,
                          std::span<const instruction::Operand> operands);

}  // namespace heddle::answers
