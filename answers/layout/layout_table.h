// A layout as a table: who holds each element of a tile, or where it lies.
#pragma once

#include "answers/layout/layout_view.h"
#include "answers/text/view_table.h"

namespace heddle::answers {

/// Cells of a table that is drawn or listed whole.
inline constexpr std::uint64_t most_cells = 1 << 16;

/// Rows and columns of a table that are drawn at most: those of the largest matrix instructions,
/// whole. Where the terminal is narrower, the table goes on below.
struct TableLimits {
  std::uint64_t rows = 32;
  std::uint64_t columns = 32;
};

/// A table, what its cells say, what their colours are, and what was left out.
struct LayoutTable {
  ViewTable table;
  std::string legend;
  std::string colours;
  std::string left_out;  // empty: nothing
};

/// The last dimension along a row, all others down.
LayoutTable layout_table(const LayoutView& view, const TableLimits& limits);

/// Cells of the whole table; at least 2^62 reads as 2^62.
std::uint64_t cell_count(const LayoutView& view);

/// The cells of the whole table as JSON, row by row, -1 where there is none: {"block": [...],
/// "thread": [...], "register": [...]} of what is held, {"block": [...], "partition": [...],
/// "place": [...]} of shared memory, {"place": [...]} of a function. "null" above most_cells.
std::string cells_json(const LayoutView& view);

}  // namespace heddle::answers
