// A layout as a table of the elements of a tile: a cell says who holds the element, or where in
// memory it lies.
#pragma once

#include "answers/layout/layout_view.h"
#include "answers/text/view_table.h"

namespace heddle::answers {

/// The most cells of a table that is drawn or listed as a whole.
inline constexpr std::uint64_t most_cells = 1 << 16;

/// The most rows and columns of a table that are drawn; matrices of the largest matrix instructions
/// fit. On a terminal that is too narrow, further columns are printed below the first ones.
struct TableLimits {
  std::uint64_t rows = 32;
  std::uint64_t columns = 32;
};

/// A table of a layout, what its cells and its colours mean, and a sentence about what was left out
/// of it.
struct LayoutTable {
  ViewTable table;
  std::string legend;
  std::string colours;
  std::string left_out;  // empty: nothing
};

/// Makes the table. The layout's last dimension runs along a row of the table, and all other
/// dimensions run down.
LayoutTable layout_table(const LayoutView& view, const TableLimits& limits);

/// The number of cells of the whole table; 2^62 stands for that or more.
std::uint64_t cell_count(const LayoutView& view);

/// The cells of the whole table as JSON, row by row, with -1 for a cell without an element:
/// {"block": [...], "thread": [...], "register": [...]} for a tile that threads hold, {"block":
/// [...], "partition": [...], "place": [...]} for shared memory, {"place": [...]} for a function.
/// The result is "null" if there are more than `most_cells` cells.
std::string cells_json(const LayoutView& view);

}  // namespace heddle::answers
