#include "answers/instruction/fragment_picture.h"


#include <algorithm>
#include <array>
#include <vector>

#include "answers/instruction/fragment_formula.h"
#include "answers/instruction/row_text.h"
#include "answers/text/markup.h"
#include "answers/text/view_table.h"
#include "heddle/instruction/places.h"
#include "library/text/formatted.h"

namespace heddle::answers {
namespace {

using instruction::Operand;
using instruction::Places;

// Lengths in the units of the drawing. A column of print is about 500 units wide.
constexpr int cell_width = 28;    // at least
constexpr int packed_width = 42;  // at least, of several elements side by side
constexpr int cell_height = 32;
constexpr int gap_size = 20;  // where rows or columns are left out
constexpr int least_labels_left = 26;
constexpr int labels_above = 18;
constexpr int title_height = 22;
constexpr int line_height = 17;
constexpr int margin = 16;
constexpr int character = 8;        // of a note, at most
constexpr int bold_character = 10;  // of a title or name, at most

/// The most cells that are drawn along one side of a grid. If the side has more cells, only its
/// first 48 and its last 16 are drawn.
constexpr int most_cells = 64;
constexpr int first_cells = 48;
constexpr int last_cells = 16;

/// The cells along one axis of a drawn grid. Each cell has `step` rows (or columns) of the matrix:
/// `first` is the first of them. `position` is where the cell begins in the drawing.
struct Side {
  struct Cell {
    int first;
    int position;
  };
  std::vector<Cell> cells;
  int step = 1;     // elements of a cell
  int size = 0;     // of a cell, drawn
  int length = 0;   // of all
  int gap_at = -1;  // where some are left out
};

Side side(int extent, int step, int size) {
  Side result;
  result.step = step;
  result.size = size;
  const int count = extent / step;
  for (int i = 0; i < count; ++i) {
    if (count > most_cells && i >= first_cells && i < count - last_cells) {
      if (result.gap_at < 0) {
        result.gap_at = result.length;
        result.length += gap_size;
      }
      continue;
    }
    result.cells.push_back({i * step, result.length});
    result.length += size;
  }
  return result;
}

/// One operand, and the part of it that is drawn.
struct Grid {
  Grid(const Selection& selection, Operand of)
      : operand(of),
        row(selection.row),
        places(places_of(selection, of)),
        packing(packing_of(selection, of)),
        rows(side(places.rows, packing.rows, cell_height)),
        columns(side(places.cols, packing.columns, width_of_cells())),
        formulas(place_formulas(selection, of)),
        has_selector(instruction::fragment(selection.row, of).outputs().contains("selector")) {
    if (selection.highlight) lit = lit_registers(places, *selection.highlight);
    // If the grids of all blocks are too tall together, only two are drawn.
    const int in_a_row = std::clamp(500 / block_width(), 1, places.blocks);
    const int all = (places.blocks + in_a_row - 1) / in_a_row * block_height();
    drawn_blocks = all > 32 * cell_height ? std::min(places.blocks, 2) : places.blocks;
    blocks_a_row = std::min(in_a_row, drawn_blocks);
  }

  /// Cells are wide enough for the longest lane number and register name.
  int width_of_cells() const {
    const auto digits = [](const std::vector<int>& numbers) {
      return static_cast<int>(formatted("{}", *std::ranges::max_element(numbers)).size());
    };
    const int lane = digits(places.lane) * 8 + 7;
    const int reg = (digits(places.reg) + (packing.whole_register ? 1 : 3)) * 7 + 3;
    return std::max({packing.columns > 1 ? packed_width : cell_width, lane, reg,
                     label_width(places.cols, packing.columns)});
  }
  /// The width of the longest label along `extent` rows or columns: a number, or a range of `step`
  /// numbers.
  static int label_width(int extent, int step) {
    return static_cast<int>(range_text(extent - step, step).size()) * 7 + 4;
  }
  int labels_left() const {
    return std::max(least_labels_left, label_width(places.rows, packing.rows) + 4);
  }
  int block_width() const { return labels_left() + columns.length; }
  int block_height() const { return labels_above + rows.length; }
  int grid_width() const { return blocks_a_row * block_width(); }
  int grid_height() const {
    return (drawn_blocks + blocks_a_row - 1) / blocks_a_row * block_height();
  }
  std::vector<std::string> notes() const {
    std::vector<std::string> lines = formulas;
    if (has_selector) lines.emplace_back("drawn: selector 0");
    const auto left_out = [&](const Side& of, std::string_view what) {
      if (of.gap_at < 0) return;
      const int first = of.cells[first_cells].first;
      lines.push_back(formatted("{} {} to {} are not drawn; --format html shows all", what,
                                first_cells * of.step, first - 1));
    };
    left_out(rows, "rows");
    left_out(columns, "columns");
    if (drawn_blocks < places.blocks)
      lines.push_back(formatted("blocks 0 and 1 of {}", places.blocks));
    return lines;
  }
  int width() const {
    std::size_t longest = 0;
    for (const std::string& line : notes()) longest = std::max(longest, line.size());
    return std::max({grid_width(), static_cast<int>(title().size()) * bold_character,
                     static_cast<int>(longest) * character});
  }
  int height() const {
    return title_height + grid_height() + line_height * static_cast<int>(notes().size()) + 6;
  }
  std::string title() const {
    return formatted("{}: {} {}{}", operand_words(row, operand), extents_text(operand, places),
                     position_words(row, operand),
                     places.blocks > 1 ? formatted(", {} blocks", places.blocks) : "");
  }

  Operand operand;
  const instruction::Instruction& row;
  Places places;
  Packing packing;
  Side rows, columns;
  std::vector<std::string> formulas;
  bool has_selector;
  std::optional<std::set<std::pair<int, int>>> lit{};
  int drawn_blocks = 1;
  int blocks_a_row = 1;
};

void draw_cell(Drawing& drawing, const Grid& grid, int block, const Side::Cell& row,
               const Side::Cell& column, int left, int top) {
  const Places& places = grid.places;
  const auto at =
      static_cast<std::size_t>((block * places.rows + row.first) * places.cols + column.first);
  const int x = left + column.position, y = top + row.position;
  const int middle = x + grid.columns.size / 2, centre = y + grid.rows.size / 2;
  std::string register_text =
      formatted("{}{}", register_letter(grid.row, grid.operand), places.reg[at]);
  if (!grid.packing.whole_register) register_text += formatted(".{}", places.bit[at] / places.bits);
  const bool is_lit = !grid.lit || grid.lit->contains({places.lane[at], places.reg[at]});
  drawing.filled(x, y, grid.columns.size, grid.rows.size,
                 is_lit ? lane_colour(places.lane[at]) : "#fff");
  if (!is_lit) return;
  drawing.text(middle, centre - 2, "lane", formatted("{}", places.lane[at]));
  drawing.text(middle, centre + 11, "register", register_text);
}

/// Draws three dots in the direction (dx, dy) in place of the cells that are left out.
void draw_points(Drawing& drawing, int x, int y, int dx, int dy) {
  for (int i = -1; i <= 1; ++i) drawing.point(x + i * dx, y + i * dy);
}

void draw_block(Drawing& drawing, const Grid& grid, int block, int left, int top) {
  if (grid.places.blocks > 1)
    drawing.text(left + least_labels_left / 2, top + labels_above - 6, "block",
                 formatted("b{}", block));
  left += grid.labels_left();
  top += labels_above;
  for (const Side::Cell& column : grid.columns.cells) {
    if (grid.places.cols > 1)
      drawing.text(left + column.position + grid.columns.size / 2, top - 5, "axis",
                   range_text(column.first, grid.columns.step));
    if (grid.rows.gap_at >= 0)
      draw_points(drawing, left + column.position + grid.columns.size / 2,
                  top + grid.rows.gap_at + gap_size / 2, 0, 5);
  }
  for (const Side::Cell& row : grid.rows.cells) {
    const int centre = top + row.position + grid.rows.size / 2;
    drawing.text(left - 4, centre + 4, "row", range_text(row.first, grid.rows.step));
    if (grid.columns.gap_at >= 0)
      draw_points(drawing, left + grid.columns.gap_at + gap_size / 2, centre, 5, 0);
    for (const Side::Cell& column : grid.columns.cells)
      draw_cell(drawing, grid, block, row, column, left, top);
  }
}

void draw(Drawing& drawing, const Grid& grid, int left, int top) {
  drawing.text(left, top + 14, "title", grid.title());
  int y = top + title_height;
  for (int block = 0; block < grid.drawn_blocks; ++block)
    draw_block(drawing, grid, block, left + block % grid.blocks_a_row * grid.block_width(),
               y + block / grid.blocks_a_row * grid.block_height());
  y += grid.grid_height() + 4;
  for (const std::string& line : grid.notes()) drawing.text(left, y += line_height, "note", line);
}

/// A grid and where it stands.
struct Placed {
  Grid grid;
  int left, top;
};

/// Arranges A, B and D as in a product: B above D, A to the left of D. The heading stands above A,
/// to the left of B, if it is no wider than A; otherwise it stands above all grids. The other
/// operands go into a row below. If A, B or D is missing from `operands`, all operands go into that
/// row.
std::vector<Placed> arranged(const Selection& selection, std::span<const Operand> operands,
                             int heading_width, int after_heading) {
  int top = after_heading;
  std::vector<Placed> placed;
  const auto has = [&](Operand operand) {
    return std::ranges::find(operands, operand) != operands.end();
  };
  std::vector<Operand> rest(operands.begin(), operands.end());
  if (has(Operand::a) && has(Operand::b) && has(Operand::d)) {
    Grid a(selection, Operand::a), b(selection, Operand::b), d(selection, Operand::d);
    const int left = margin + a.width() + margin;
    if (heading_width <= a.width()) top = margin;  // next to B, above A
    const int below = std::max(top + b.height(), after_heading) + margin;
    const int b_top = below - margin - b.height();
    top = below + std::max(a.height(), d.height()) + margin;
    placed.push_back({std::move(b), left, b_top});
    placed.push_back({std::move(a), margin, below});
    placed.push_back({std::move(d), left, below});
    std::erase_if(rest, [](Operand operand) {
      return operand == Operand::a || operand == Operand::b || operand == Operand::d;
    });
  }
  int left = margin;
  for (const Operand operand : rest) {
    Grid grid(selection, operand);
    const int width = grid.width();
    placed.push_back({std::move(grid), left, top});
    left += width + margin;
  }
  return placed;
}

/// A line above the grids.
struct HeadingLine {
  std::string words;
  bool is_name;
  int width() const {
    return static_cast<int>(words.size()) * (is_name ? bold_character : character);
  }
};

/// The heading: the name of the instruction, broken into lines that are not too long, then its
/// processor and wave, then how to read the drawing.
std::vector<HeadingLine> heading(const Selection& selection, bool has_copies) {
  constexpr std::size_t longest = 64;
  std::vector<HeadingLine> lines{{"", true}};
  const std::string name = display_name(selection.row);
  for (std::size_t first = 0; first < name.size();) {
    const std::size_t dot = std::min(name.find('.', first + 1), name.size());
    const std::string part = name.substr(first, dot - first);
    if (lines.back().words.size() + part.size() > longest) lines.push_back({"", true});
    lines.back().words += part;
    first = dot;
  }
  std::string where =
      formatted("{}, {}", instruction::name(selection.target), wave_words(selection.row));
  if (selection.modifiers.any()) where += ", " + words(selection.modifiers);
  if (selection.row.map_witnesses() == 1) where += "; places of one witness only";
  lines.push_back({where, false});
  lines.push_back(
      {formatted("in a cell: lane above, register below{}", has_copies ? "; copies not drawn" : ""),
       false});
  return lines;
}

constexpr std::string_view styles =
    ".name{font-size:15px}.title{font-size:14px}.block{font-size:11px;fill:#444}"
    ".lane{font-size:13px;font-weight:bold}.register{font-size:11px}circle{fill:#444}";

}  // namespace

std::string fragment_svg(const Selection& selection, std::span<const Operand> operands) {
  const bool has_copies = std::ranges::any_of(operands, [&](Operand operand) {
    return places_of(selection, operand).lane_copies.size() > 1;
  });
  const std::vector<HeadingLine> lines = heading(selection, has_copies);
  const int top = margin + line_height * static_cast<int>(lines.size()) + 8;
  int heading_width = 0;
  for (const HeadingLine& line : lines) heading_width = std::max(heading_width, line.width());
  const std::vector<Placed> placed = arranged(selection, operands, heading_width, top);
  int width = heading_width + 2 * margin, height = 0;
  Drawing drawing;
  int y = margin;
  for (const HeadingLine& line : lines)
    drawing.text(margin, y += line_height, line.is_name ? "name" : "note", line.words);
  for (const Placed& one : placed) {
    draw(drawing, one.grid, one.left, one.top);
    width = std::max(width, one.left + one.grid.width() + margin);
    height = std::max(height, one.top + one.grid.height() + margin);
  }
  return drawing.document(width, height, styles);
}

}  // namespace heddle::answers
