// The arguments that `show`, `get` and `info` share: which instruction, and how to show it.
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

/// What the user wrote to say which operands to show, and with which options: the order of k,
/// swizzle, modifiers, formats.
struct SelectionArguments : RowArguments {
  std::string operand = "all";
  std::string k_order = "isa";
  std::string swizzle;  // the swizzle of an operand in shared memory; empty: not given
  std::string major = "k";
  instruction::Modifiers modifiers;
  std::string a_format, b_format;  // names of formats; empty: the first
  int selector = 0;
};

/// A row of the catalogue, and one of the processors that have its instruction. If the instruction
/// exists for several n, the row has the n that the user chose.
struct RowSelection {
  instruction::Instruction row;
  instruction::Target target;
};

/// The user's arguments after reading. The types of A and B in the row are the chosen formats.
struct Selection : RowSelection {
  instruction::KOrder order;
  instruction::Modifiers modifiers;
  int selector = 0;  // NVIDIA: the part of an index or of scales that the instruction reads
  std::optional<instruction::Swizzle> swizzle;
  instruction::Major major;
  std::optional<Highlight> highlight{};  // the elements to show; nothing: all
};

/// Finds the row that the arguments name. Error: a sentence about the mistake, with the valid
/// choices.
std::expected<RowSelection, std::string> select_row(const RowArguments& arguments);

/// Reads all arguments: the row, and how to show its operands. Error: a sentence about the mistake,
/// with the valid choices.
std::expected<Selection, std::string> select(const SelectionArguments& arguments);

/// An operand to show: its tile in shared memory if `tile` is set, otherwise its registers or its
/// tensor memory.
struct SeenOperand {
  instruction::Operand operand;
  std::optional<instruction::SharedTile> tile;
};

/// The operands named `wanted`: one operand, or "all".
/// - "all" means all operands with a map. It leaves out C if C has the layout of D, and leaves out
/// an operand that exists only in shared memory unless the user gave a swizzle.
/// - An operand that exists only in shared memory is shown in shared memory.
/// - Any other operand is shown in shared memory only if it is named by its letter and the user
/// gave a swizzle; an error says if it cannot lie there.
std::expected<std::vector<SeenOperand>, std::string> operands_of(const Selection& selection,
                                                                 const std::string& wanted);

/// The lane and register of each element of an operand, with the selection's modifiers applied.
instruction::Places places_of(const Selection& selection, instruction::Operand operand);

/// The modifiers that are set: "cbsz 1, abid 1".
std::string words(const instruction::Modifiers& modifiers);

}  // namespace heddle::answers
