// An operand in shared memory, as text for people and as data for programs: the bytes at which its
// elements begin for a swizzle, and the fields of its matrix descriptor.
#pragma once

#include <string>
#include <vector>

#include "answers/text/view_table.h"
#include "heddle/instruction/shared_operand.h"

namespace heddle::answers {

/// The operand as text: its extents, a formula for the byte of an element, the fields of the
/// descriptor, and a table. In a k-major tile the table has a line for each row (m or n), otherwise
/// a line for each k; a cell stands for 16 bytes.
std::string shared_text(const instruction::Instruction& row, const instruction::SharedTile& tile,
                        int width, const TableStyle& style);

/// The same in Markdown.
std::string shared_markdown(const instruction::Instruction& row,
                            const instruction::SharedTile& tile);

/// The tile as JSON: {"rows", "cols", "blocks", "nbits", "byte", "bit", "descriptor"}. The lists
/// "byte" and "bit" have a number for each element, row after row as in operand_json: the byte of
/// the tile in which the element begins, and the bit in that byte. "descriptor" is the descriptor
/// of the tile if the tile lies at address 0.
std::string shared_json(const instruction::Instruction& row, const instruction::SharedTile& tile);

/// The tile as CSV, with a line for each element: operand, row, column, byte, bit, bits.
std::string shared_csv(const instruction::Instruction& row, const instruction::SharedTile& tile);

/// An element of a tile, and the byte and bit where it begins.
struct SharedPlace {
  int row, column;
  int byte, bit;
};

SharedPlace shared_place(const instruction::Instruction& instruction,
                         const instruction::SharedTile& tile, int row, int column);

/// The elements in a byte of the tile; empty if the instruction does not read that byte.
std::vector<SharedPlace> shared_places(const instruction::Instruction& row,
                                       const instruction::SharedTile& tile, int byte);

}  // namespace heddle::answers
