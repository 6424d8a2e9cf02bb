// An operand of a matrix instruction, as text for people and as data for programs.
#pragma once

#include <string>
#include <vector>

#include "answers/instruction/selection.h"
#include "answers/text/view_table.h"

namespace heddle::answers {

/// A paragraph about the instruction: "needs", and the words.
struct InstructionFact {
  std::string_view label;
  std::string words;
};

/// "NAME on gfx1151, wave32".
std::string instruction_heading(const Selection& selection);

/// The facts about an instruction: what it computes, its constraints and its witnesses.
std::vector<InstructionFact> instruction_facts(const Selection& selection);

/// Both as text; ends in a newline.
std::string instruction_text(const Selection& selection, int width);

/// An operand seen from both sides: by register (a line per lane, a column per register) and by
/// matrix (a line per row, a column per column; neighbours that share a register share a cell), a
/// table for each block.
struct OperandView {
  std::string heading;    // one line that names it
  std::string sentences;  // formulas for the elements of a lane
  std::string register_legend, matrix_legend;
  ViewTable registers;
  std::vector<ViewTable> matrices;
};

OperandView operand_view(const Selection& selection, instruction::Operand operand);

/// Paragraphs are `width` columns wide.
std::string operand_text(const OperandView& view, int width, const TableStyle& style);
std::string operand_markdown(const OperandView& view);

/// {"rows", "cols", "blocks", "nbits", "reg", "lane", "bit", "lane_copies"}, in the form in which
/// AMD's calculator tables are recorded. The lists are row-major. `lane` is the first holder of
/// each element, and lane + copy are all holders. `bit` is the lowest bit in the register. There is
/// no `bit` if all are 0, and no `lane_copies` if nothing is copied.
std::string operand_json(const Selection& selection, instruction::Operand operand);

/// The same as CSV, with a line for each element: operand, block, row, column, register, lane, bit,
/// bits, and the lane offsets of copies, separated by spaces.
std::string operand_csv(const Selection& selection, instruction::Operand operand);

}  // namespace heddle::answers
