// Tables of lanes on a terminal: equally wide cells, each in the colour of a lane.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::answers {

/// A cell: its text, the lane that gives it its colour, and its register.
struct Cell {
  std::string text;
  int lane = 0;
  int reg = 0;
};

/// A line: a label and its cells.
struct Line {
  std::string label;
  std::vector<Cell> cells;
};

/// A table before it is written.
struct ViewTable {
  Line heading;
  std::vector<Line> lines;
};

enum class Markup { plain, coloured, markdown };

/// How a table is written. `width`: the number of characters in a line after which the table
/// continues below; 0: it has no such limit. In Markdown there is no limit either.
struct TableStyle {
  Markup markup = Markup::plain;
  int width = 0;
};

/// The table as text. Its first column has the labels, and all cells are equally wide. Ends in a
/// newline.
std::string view_table(const ViewTable& table, const TableStyle& style);

/// True if output is coloured for the choice "always", "never" or "auto". "auto" means on a
/// terminal, unless the user wants no colour (no-color.org).
bool is_coloured(const std::string& choice);

/// The CSS colour of a lane, one of 64, light enough for black text on it. Sixteen lanes go once
/// around the colour wheel; the next sixteen lanes have darker colours.
std::string lane_colour(int lane);

}  // namespace heddle::answers
