// An operand of a matrix instruction, as text for people and as data for programs.
#pragma once

#include <string>
#include <vector>

#include "answers/instruction/selection.h"
#include "answers/text/view_table.h"

namespace heddle::answers {

/// A paragraph about the instruction: a label, such as "needs", and its text.
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

/// The tables of an operand. The register view has a line per lane and a column per register. The
/// matrix view has a table for each block, with a line per row and a column per column of the
/// matrix; adjacent elements that share a register share a cell.
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

/// The operand as JSON: {"rows", "cols", "blocks", "nbits", "reg", "lane", "bit", "lane_copies"},
/// as AMD's calculator tables are recorded. The lists are row-major. `lane` has the first lane that
/// holds each element; adding each of `lane_copies`, of which the first is 0, to it gives all lanes
/// that hold the element. `bit` is the element's lowest bit in the register. `bit` is left out if
/// all are 0, `lane_copies` if no element is copied.
std::string operand_json(const Selection& selection, instruction::Operand operand);

/// The operand as CSV, with a line for each element: operand, block, row, column, register, lane,
/// bit, bits, and the lane offsets of copies, separated by spaces.
std::string operand_csv(const Selection& selection, instruction::Operand operand);

}  // namespace heddle::answers
