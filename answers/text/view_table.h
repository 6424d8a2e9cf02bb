// Tables of lanes on a terminal: equally wide cells, each in the colour of a lane.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::answers {

/// A cell: its text, the lane whose colour it has, and the register it is about.
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

/// How a table is written. `width`: columns after which it is continued below; 0: never. In
/// Markdown it never is.
struct TableStyle {
  Markup markup = Markup::plain;
  int width = 0;
};

/// Lines in columns, the first of which is the labels; all cells are equally wide. Ends in a
/// newline.
std::string view_table(const ViewTable& table, const TableStyle& style);

/// Whether to colour, asked for "always", "never" or "auto": on a terminal, unless the user has
/// asked for none (no-color.org).
bool is_coloured(const std::string& choice);

/// A colour of CSS for each of 64 lanes, light enough under black: sixteen go once around the
/// colour wheel, the next sixteen are darker.
std::string lane_colour(int lane);

}  // namespace heddle::answers
