// An operand in shared memory, as text for people and as data for programs: the places of its
// elements for a swizzle, and the fields of its matrix descriptor.
#pragma once

#include <string>
#include <vector>

#include "answers/text/view_table.h"
#include "heddle/instruction/shared_operand.h"

namespace heddle::answers {

/// Text: the extents, a formula for the byte of an element, the descriptor, and a table with a line
/// for each row or k and a cell for each 16 bytes.
std::string shared_text(const instruction::Instruction& row, const instruction::SharedTile& tile,
                        int width, const TableStyle& style);

/// The same in Markdown.
std::string shared_markdown(const instruction::Instruction& row,
                            const instruction::SharedTile& tile);

/// {"rows", "cols", "blocks", "nbits", "byte", "bit", "descriptor"}. The lists are row-major as in
/// operand_json; they have the byte of the tile and the bit in it where an element begins. The
/// descriptor is that of a tile at address 0.
std::string shared_json(const instruction::Instruction& row, const instruction::SharedTile& tile);

/// The same as CSV, with a line for each element: operand, row, column, byte, bit, bits.
std::string shared_csv(const instruction::Instruction& row, const instruction::SharedTile& tile);

/// An element of a tile, and the byte and bit where it begins.
struct SharedPlace {
  int row, column;
  int byte, bit;
};

SharedPlace shared_place(const instruction::Instruction& instruction,
                         const instruction::SharedTile& tile, int row, int column);

/// The elements in a byte of the tile; none if the instruction does not read it.
std::vector<SharedPlace> shared_places(const instruction::Instruction& row,
                                       const instruction::SharedTile& tile, int byte);

}  // namespace heddle::answers
