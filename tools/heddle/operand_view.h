// An operand of a matrix instruction as a person and as a program read it.
#pragma once

#include <string>

#include "heddle/instruction/catalogue.h"

#include "tools/heddle/selection.h"

namespace heddle::tool {

/// The name and shape of the instruction, its constraints and its witnesses; ends in a newline.
std::string instruction_text(const instruction::Instruction& instruction,
                             instruction::Target target, instruction::KOrder order, int width);

/// What a lane holds, then the register view (a line per lane, a column per register) and the
/// matrix view (a line per row, a column per column of the matrix; neighbours that share a register
/// share a cell). `coloured`: each lane has a colour of its own, in both views, by ANSI escapes.
std::string operand_text(const Selection& selection, instruction::Operand operand, bool coloured,
                         int width);

/// {"rows", "cols", "blocks", "nbits", "reg", "lane", "bit", "lane_copies"}, as AMD's calculator
/// tables are recorded: the lists are row-major, `lane` is the first holder of each element and
/// lane + copy are all, `bit` is the lowest bit in the register.
std::string operand_json(const Selection& selection, instruction::Operand operand);

/// The same, a line for each element: operand, block, row, column, register, lane, bit, bits, and
/// the offsets of lanes that hold copies, apart by spaces.
std::string operand_csv(const Selection& selection, instruction::Operand operand);

}  // namespace heddle::tool
