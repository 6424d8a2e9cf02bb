// The instruction and the view: the arguments that `show`, `get` and `info` share.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "answers/instruction/highlight.h"
#include "heddle/instruction/modifiers.h"
#include "heddle/instruction/names.h"
#include "heddle/instruction/shared_operand.h"

namespace heddle::answers {

/// What the user wrote to name a row of the catalogue: its mnemonic or any name that
/// find_by_any_name takes.
struct RowArguments {
  std::string name;
  std::string target;  // empty: gfx1151 if it has the instruction, else the first that has
  int wave = 0;        // 0: the processor's
  int n = 0;           // 0: the largest
};

/// What the user wrote to name operands, and how to see them.
struct SelectionArguments : RowArguments {
  std::string operand = "all";
  std::string k_order = "isa";
  std::string swizzle;  // the swizzle of an operand in shared memory; empty: not given
  std::string major = "k";
  instruction::Modifiers modifiers;
  std::string a_format, b_format;  // names of formats; empty: the first
  int selector = 0;
};

/// A row, on one of the processors that have it. If the instruction has several n, it is the row of
/// the wanted n.
struct RowSelection {
  instruction::Instruction row;
  instruction::Target target;
};

/// The arguments as they were understood. The row has the chosen formats of A and B.
struct Selection : RowSelection {
  instruction::KOrder order;
  instruction::Modifiers modifiers;
  int selector = 0;  // NVIDIA: the part of an index or of scales that the instruction reads
  std::optional<instruction::Swizzle> swizzle;
  instruction::Major major;
  std::optional<Highlight> highlight{};  // the elements to show; nothing: all
};

/// The row, or a sentence about the mistake and the valid choices.
std::expected<RowSelection, std::string> select_row(const RowArguments& arguments);

/// The instruction, or a sentence about the mistake and the valid choices.
std::expected<Selection, std::string> select(const SelectionArguments& arguments);

/// An operand to show: in registers or tensor memory, or this tile of it in shared memory.
struct SeenOperand {
  instruction::Operand operand;
  std::optional<instruction::SharedTile> tile;
};

/// The operands named `wanted`. "all" means all operands with a map, except a C with the layout of
/// D. An operand that exists only in shared memory is shown there; "all" includes it only if a
/// swizzle is given. An operand that is named explicitly is also shown there if it may lie there.
std::expected<std::vector<SeenOperand>, std::string> operands_of(const Selection& selection,
                                                                 const std::string& wanted);

/// The matrix view of an operand of the selection, with the modifiers applied.
instruction::Places places_of(const Selection& selection, instruction::Operand operand);

/// The modifiers that are set: "cbsz 1, abid 1".
std::string words(const instruction::Modifiers& modifiers);

}  // namespace heddle::answers
