// A layout as a table: the holder of each element of a tile, or its place.
#pragma once

#include "answers/layout/layout_view.h"
#include "answers/text/view_table.h"

namespace heddle::answers {

/// The most cells of a table that is drawn or listed as a whole.
inline constexpr std::uint64_t most_cells = 1 << 16;

/// The most rows and columns of a table that is drawn; the largest matrix instructions fit. On a
/// narrower terminal the table continues below.
struct TableLimits {
  std::uint64_t rows = 32;
  std::uint64_t columns = 32;
};

/// A table, the meaning of its cells and colours, and what was left out.
struct LayoutTable {
  ViewTable table;
  std::string legend;
  std::string colours;
  std::string left_out;  // empty: nothing
};

/// Makes the table: the last dimension runs along a row, all others run down.
LayoutTable layout_table(const LayoutView& view, const TableLimits& limits);

/// The number of cells of the whole table; 2^62 stands for that or more.
std::uint64_t cell_count(const LayoutView& view);

/// The cells of the whole table as JSON, row by row, -1 where there is none: {"block": [...],
/// "thread": [...], "register": [...]} for a held tile, {"block": [...], "partition": [...],
/// "place": [...]} for shared memory, {"place": [...]} for a function. "null" above most_cells.
std::string cells_json(const LayoutView& view);

}  // namespace heddle::answers
