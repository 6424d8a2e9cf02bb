// Which instruction, and how seen: the arguments that `show` and `get` share.
#pragma once

#include <CLI/CLI.hpp>
#include <expected>
#include <string>
#include <vector>

#include "heddle/instruction/modifiers.h"

namespace heddle::tool {

/// What the user wrote.
struct SelectionArguments {
  std::string name;
  std::string target = "gfx1151";
  int wave = 0;  // that of the processor
  std::string operand = "all";
  std::string k_order = "isa";
  instruction::Modifiers modifiers;
  std::string a_format, b_format;  // by name; empty: the first
};

/// What that is. The row has the formats of A and B that were chosen.
struct Selection {
  instruction::Instruction row;
  instruction::Target target;
  instruction::KOrder order;
  instruction::Modifiers modifiers;
};

/// Adds the instruction, --arch, --wave, --operand, --k-order and the modifiers.
void add_selection(CLI::App& command, SelectionArguments& arguments);

/// The instruction, or a sentence that says what is wrong and what there is.
std::expected<Selection, std::string> select(const SelectionArguments& arguments);

/// The operands named `wanted`: one, or with "all" all of the instruction but C, which lies as D.
std::expected<std::vector<instruction::Operand>, std::string> operands_of(
    const instruction::Instruction& row, const std::string& wanted);

/// The matrix view of an operand of the selection, as it is read with the modifiers.
instruction::Places places_of(const Selection& selection, instruction::Operand operand);

/// "cbsz 1, abid 1": those that are set.
std::string words(const instruction::Modifiers& modifiers);

}  // namespace heddle::tool
