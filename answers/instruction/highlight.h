// Selects the elements of an operand that are shown: those of a lane, a register, a row or a
// column, or those that meet several such conditions.
#pragma once

#include <expected>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "heddle/instruction/places.h"

namespace heddle::answers {

/// Conditions that an element meets; -1: any.
struct Highlight {
  int lane = -1, reg = -1, row = -1, column = -1;
};

/// Reads conditions such as "lane=5", "row=3,column=7" or just "3,7", "lane=5,reg=2". Errors: an
/// unknown word, a word without a number, a word given twice.
std::expected<Highlight, std::string> read_highlight(std::string_view text);

/// The reason why no element of an operand can meet the conditions: a condition has a number beyond
/// the operand's last lane, register, row or column. Empty if no number is.
std::string why_outside(const Highlight& highlight, std::string_view operand,
                        const instruction::Places& places, int registers, int lanes);

/// The registers that hold highlighted elements, each as a pair (lane, register). If several lanes
/// hold copies of an element, only the first of these lanes is listed.
std::set<std::pair<int, int>> lit_registers(const instruction::Places& places,
                                            const Highlight& highlight);

}  // namespace heddle::answers
