// An operand of a matrix instruction as a person and as a program read it.
#pragma once

#include <string>

#include "tools/heddle/selection.h"
#include "tools/heddle/view_table.h"

namespace heddle::tool {

/// The name and shape of the instruction, its constraints and its witnesses; ends in a newline.
std::string instruction_text(const Selection& selection, int width);

/// What a lane holds, then the register view (a line per lane, a column per register) and the
/// matrix view (a line per row, a column per column of the matrix; neighbours that share a register
/// share a cell). Paragraphs are `width` columns wide.
std::string operand_text(const Selection& selection, instruction::Operand operand, int width,
                         const TableStyle& style);

/// The same in Markdown: both views as tables.
std::string operand_markdown(const Selection& selection, instruction::Operand operand);

/// {"rows", "cols", "blocks", "nbits", "reg", "lane", "bit", "lane_copies"}, as AMD's calculator
/// tables are recorded: the lists are row-major, `lane` is the first holder of each element and
/// lane + copy are all, `bit` is the lowest bit in the register. No `bit` where all are 0, no
/// `lane_copies` where nothing is copied.
std::string operand_json(const Selection& selection, instruction::Operand operand);

/// The same, a line for each element: operand, block, row, column, register, lane, bit, bits, and
/// the offsets of lanes that hold copies, apart by spaces.
std::string operand_csv(const Selection& selection, instruction::Operand operand);

}  // namespace heddle::tool
