// Which instruction, and how seen: the arguments that `show`, `get` and `info` share.
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
  std::string target;  // empty: gfx1151, or else the first that has the instruction
  int wave = 0;        // 0: that of the processor
  int n = 0;           // 0: the largest
};

/// What the user wrote to name operands, and how to see them.
struct SelectionArguments : RowArguments {
  std::string operand = "all";
  std::string k_order = "isa";
  std::string swizzle;  // of an operand in shared memory; empty: not said
  std::string major = "k";
  instruction::Modifiers modifiers;
  std::string a_format, b_format;  // by name; empty: the first
  int selector = 0;
};

/// A row, on one of the processors that have it. Of an instruction for several n it is that of the
/// wanted one.
struct RowSelection {
  instruction::Instruction row;
  instruction::Target target;
};

/// What that is. The row has the formats of A and B that were chosen.
struct Selection : RowSelection {
  instruction::KOrder order;
  instruction::Modifiers modifiers;
  int selector = 0;  // NVIDIA: the part of an index or of scales that the instruction reads
  std::optional<instruction::Swizzle> swizzle;
  instruction::Major major;
  std::optional<Highlight> highlight{};  // what is shown; nothing: all
};

/// The row, or a sentence that says what is wrong and what there is.
std::expected<RowSelection, std::string> select_row(const RowArguments& arguments);

/// The instruction, or a sentence that says what is wrong and what there is.
std::expected<Selection, std::string> select(const SelectionArguments& arguments);

/// An operand to be seen: in registers or tensor memory, or this tile of it in shared memory.
struct SeenOperand {
  instruction::Operand operand;
  std::optional<instruction::SharedTile> tile;
};

/// The operands named `wanted`: one, or with "all" all of the instruction that have a map, but for
/// a C that lies as D. In shared memory are seen those that lie nowhere else, with "all" only if a
/// swizzle is given; and the one that is named, if it may.
std::expected<std::vector<SeenOperand>, std::string> operands_of(const Selection& selection,
                                                                 const std::string& wanted);

/// The matrix view of an operand of the selection, as it is read with the modifiers.
instruction::Places places_of(const Selection& selection, instruction::Operand operand);

/// "cbsz 1, abid 1": those that are set.
std::string words(const instruction::Modifiers& modifiers);

}  // namespace heddle::answers
