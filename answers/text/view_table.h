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

/// How a table is written. `width`: the columns after which it continues below; 0: it never does.
/// In Markdown it never does.
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

/// A CSS colour for each of 64 lanes, light enough for black text on it. Sixteen lanes go once
/// around the colour wheel; the next sixteen are darker.
std::string lane_colour(int lane);

}  // namespace heddle::answers
