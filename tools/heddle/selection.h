// Which instruction, and how seen: the arguments that `show`, `get` and `info` share.
#pragma once

#include <CLI/CLI.hpp>
#include <expected>
#include <string>
#include <vector>

#include "heddle/instruction/modifiers.h"

namespace heddle::tool {

/// What the user wrote to name a row of the catalogue.
struct RowArguments {
  std::string name;
  std::string target;  // empty: gfx1151, or else the first that has the instruction
  int wave = 0;        // 0: that of the processor
  int n = 0;           // 0: the largest
};

/// What the user wrote to name operands, and how to see them.
struct SelectionArguments : RowArguments {
  std::string operand = "all";
  std::string k_order = "isa";
  instruction::Modifiers modifiers;
};

/// A row, on one of the processors that have it. Of an instruction for several n it is that of the
/// wanted one.
struct RowSelection {
  instruction::Instruction row;
  instruction::Target target;
};

/// What that is.
struct Selection : RowSelection {
  instruction::KOrder order;
  instruction::Modifiers modifiers;
};

/// Adds the instruction, --arch, --wave and --n.
void add_row_selection(CLI::App& command, RowArguments& arguments);

/// Adds the same, --operand, --k-order and the modifiers.
void add_selection(CLI::App& command, SelectionArguments& arguments);

/// The row, or a sentence that says what is wrong and what there is.
std::expected<RowSelection, std::string> select_row(const RowArguments& arguments);

/// The instruction, or a sentence that says what is wrong and what there is.
std::expected<Selection, std::string> select(const SelectionArguments& arguments);

/// Where an operand is that has no map to show: "in shared memory, where its descriptor says".
std::string_view where_unmapped(const instruction::Instruction& row, instruction::Operand operand);

/// The operands named `wanted`: one, or with "all" all of the instruction that have a map, but for
/// a C that lies as D.
std::expected<std::vector<instruction::Operand>, std::string> operands_of(
    const instruction::Instruction& row, const std::string& wanted);

/// The matrix view of an operand of the selection, as it is read with the modifiers.
instruction::Places places_of(const Selection& selection, instruction::Operand operand);

/// "cbsz 1, abid 1": those that are set.
std::string words(const instruction::Modifiers& modifiers);

}  // namespace heddle::tool
