// An operand in shared memory as a person and as a program read it: where its elements lie for a
// swizzle, and what its matrix descriptor says.
#pragma once

#include <string>
#include <vector>

#include "answers/text/view_table.h"
#include "heddle/instruction/shared_operand.h"

namespace heddle::answers {

/// Extents, the byte of an element as a formula, the descriptor, and a table: a line for each row
/// or k, a cell for each 16 bytes.
std::string shared_text(const instruction::Instruction& row, const instruction::SharedTile& tile,
                        int width, const TableStyle& style);

/// The same in Markdown.
std::string shared_markdown(const instruction::Instruction& row,
                            const instruction::SharedTile& tile);

/// {"rows", "cols", "blocks", "nbits", "byte", "bit", "descriptor"}: the lists are row-major as
/// those of operand_json, and say in which byte of the tile and from which of its bits on an
/// element lies. The descriptor is that of a tile at address 0.
std::string shared_json(const instruction::Instruction& row, const instruction::SharedTile& tile);

/// The same, a line for each element: operand, row, column, byte, bit, bits.
std::string shared_csv(const instruction::Instruction& row, const instruction::SharedTile& tile);

/// An element of a tile and the byte and bit from which on it lies.
struct SharedPlace {
  int row, column;
  int byte, bit;
};

SharedPlace shared_place(const instruction::Instruction& instruction,
                         const instruction::SharedTile& tile, int row, int column);

/// The elements in a byte of the tile, none where the instruction reads none.
std::vector<SharedPlace> shared_places(const instruction::Instruction& row,
                                       const instruction::SharedTile& tile, int byte);

}  // namespace heddle::answers
