#include "answers/layout/layout_table.h"

#include "library/text/formatted.h"
#include "library/text/joined.h"

#include <algorithm>
#include <utility>

namespace heddle::answers {
namespace {

using layout::LinearLayout;
using Coordinates = std::vector<std::uint64_t>;

constexpr std::uint64_t many = std::uint64_t{1} << 62;

/// The product, or `many` when it is larger.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return a == 0 || b == 0 || a > many / b ? many : a * b;
}

/// Rows and columns of the whole table.
struct Extent {
  std::uint64_t rows = 1;
  std::uint64_t columns = 1;
};

Extent extent(const LayoutView& view) {
  Extent result;
  for (std::size_t axis = 0; axis + 1 < view.sizes.size(); ++axis)
    result.rows = times(result.rows, view.sizes[axis]);
  if (!view.sizes.empty()) result.columns = times(1, view.sizes.back());
  return result;
}

/// The coordinates of the element in the cell at `row` and `column` of the table. The column is the
/// last coordinate. The row counts the other coordinates together, the last of them fastest.
Coordinates coordinates_of(const LayoutView& view, std::uint64_t row, std::uint64_t column) {
  Coordinates coordinates(view.sizes.size());
  if (coordinates.empty()) return coordinates;
  coordinates.back() = column;
  for (std::size_t axis = view.sizes.size() - 1; axis-- > 0;) {
    if (view.sizes[axis] == 0) {
      coordinates[axis] = row;
      break;
    }
    coordinates[axis] = row % view.sizes[axis];
    row /= view.sizes[axis];
  }
  return coordinates;
}

std::uint64_t packed(const layout::AxisList& axes, const Coordinates& coordinates) {
  std::uint64_t flat = 0;
  for (int axis = 0; axis < axes.size(); ++axis)
    if (axes[axis].bits > 0)
      flat |= coordinates[static_cast<std::size_t>(axis)] << axes.offset(axis);
  return flat;
}

std::uint64_t part(const layout::AxisList& axes, std::uint64_t flat, const layout::AxisName& name) {
  const int axis = axes.find(name);
  return axis < 0 ? 0 : axes.coordinate(flat, axis);
}

/// The thread and register that hold an element.
struct Owner {
  std::uint64_t block, thread, reg;
};

/// Reads cells of one view.
class Cells {
 public:
  explicit Cells(const LayoutView& view) : view_(view) {
    if (view.kind != LayoutKind::function) inverse_ = layout::pseudo_inverse(*view.map());
  }

  /// The first of those who hold an element (block, thread and register), in a view of the kind
  /// `held`. Null if nobody holds it.
  std::optional<Owner> owner(const Coordinates& at) const {
    const auto flat = input(at);
    if (!flat) return std::nullopt;
    const layout::AxisList& axes = inverse_.outputs();
    const std::uint64_t thread = part(axes, *flat, "lane") | part(axes, *flat, "warp")
                                                                 << axes.bits_of("lane");
    return Owner{part(axes, *flat, "block"), thread, part(axes, *flat, "register")};
  }

  /// Where in memory the element at these coordinates lies or, for a layout that is a function, its
  /// offset. Null if the layout does not place such an element.
  std::optional<std::int64_t> place(const Coordinates& at) const {
    if (const auto* cute = view_.cute()) {
      std::uint64_t flat = 0;
      for (std::size_t axis = at.size(); axis-- > 0;) flat = flat * view_.sizes[axis] + at[axis];
      return interop::cute::evaluate(*cute, static_cast<std::int64_t>(flat));
    }
    if (view_.kind == LayoutKind::function)
      return static_cast<std::int64_t>(view_.map()->apply(packed(view_.map()->inputs(), at)));
    const auto flat = input(at);
    if (!flat) return std::nullopt;
    return static_cast<std::int64_t>(
        view_.shared().place(part(inverse_.outputs(), *flat, "offset")));
  }

  Cell cell(const Coordinates& at) const {
    if (view_.kind == LayoutKind::held) {
      const auto found = owner(at);
      if (!found) return {"-"};
      const int lanes_bits = view_.held.inputs().bits_of("lane");
      const std::uint64_t lane = found->thread & layout::low_bits(lanes_bits);
      return {formatted("{}T{}:{}", prefix("block", *input(at)), found->thread, found->reg),
              static_cast<int>(lane % 64), static_cast<int>(found->reg % 1024)};
    }
    const auto found = place(at);
    if (!found) return {"-"};
    if (view_.kind == LayoutKind::function && view_.cute() == nullptr) return {output_text(*found)};
    std::string text = formatted("{}", *found);
    if (view_.kind == LayoutKind::shared)
      for (const std::string_view axis : {"partition", "block"})
        text = prefix(axis, *input(at)) + text;
    const std::int64_t colour = *found / group() % colours() * (16 / colours());
    return {text, static_cast<int>(colour < 0 ? colour + 16 : colour)};
  }

  /// The numbers of a cell, each with its name: who holds the element, or where it lies. They are
  /// -1 if the cell has no element.
  std::vector<std::pair<std::string_view, std::int64_t>> numbers(const Coordinates& at) const {
    const auto signed_number = [](std::uint64_t number) {
      return static_cast<std::int64_t>(number);
    };
    if (view_.kind == LayoutKind::held) {
      const auto found = owner(at);
      if (!found) return {{"block", -1}, {"thread", -1}, {"register", -1}};
      return {{"block", signed_number(found->block)},
              {"thread", signed_number(found->thread)},
              {"register", signed_number(found->reg)}};
    }
    const auto found = place(at);
    if (view_.kind == LayoutKind::function) return {{"place", *found}};
    if (!found) return {{"block", -1}, {"partition", -1}, {"place", -1}};
    const std::uint64_t flat = *input(at);
    return {{"block", signed_number(part(inverse_.outputs(), flat, "block"))},
            {"partition", signed_number(part(inverse_.outputs(), flat, "partition"))},
            {"place", *found}};
  }

  /// How many consecutive elements of memory share a colour (`group`), and how many colours there
  /// are. A tile in shared memory has eight colours: one for each 16-byte vector in a line of 128
  /// bytes, where a vector has eight elements of 16 bits. Two vectors of the same colour lie in the
  /// same banks.
  std::int64_t group() const {
    return view_.kind == LayoutKind::shared && view_.shared().size() >= 64 ? 8 : 1;
  }
  std::int64_t colours() const { return group() == 1 ? 16 : 8; }

 private:
  std::optional<std::uint64_t> input(const Coordinates& at) const {
    const std::uint64_t wanted = packed(inverse_.inputs(), at);
    const std::uint64_t flat = inverse_.apply(wanted);
    if (view_.map()->apply(flat) != wanted) return std::nullopt;
    return flat;
  }

  /// "B1:" for block 1, "P1:" for partition 1; nothing if there is only one.
  std::string prefix(std::string_view name, std::uint64_t flat) const {
    const layout::AxisName axis(name);
    if (view_.map()->inputs().bits_of(axis) == 0) return "";
    return formatted("{}{}:", name == "block" ? 'B' : 'P', part(inverse_.outputs(), flat, axis));
  }

  std::string output_text(std::int64_t flat) const {
    const layout::AxisList& outputs = view_.map()->outputs();
    std::vector<std::uint64_t> parts;
    for (int axis = 0; axis < outputs.size(); ++axis)
      parts.push_back(outputs.coordinate(static_cast<std::uint64_t>(flat), axis));
    return parts.size() == 1 ? formatted("{}", parts[0]) : formatted("({})", joined(parts, ","));
  }

  const LayoutView& view_;
  LinearLayout inverse_;
};

/// The meaning of a cell.
std::string legend_of(const LayoutView& view) {
  std::string before;
  for (const std::string_view axis : {"block", "partition"})
    if (view.map() != nullptr && view.map()->inputs().bits_of(layout::AxisName(axis)) > 0)
      before += formatted("{} {} : ", axis == "block" ? 'B' : 'P', axis);
  if (view.kind == LayoutKind::held)
    return formatted("in a cell: {}T thread : register{}", before,
                     view.copy_bits > 0 ? "; of copies the first" : "");
  if (view.kind == LayoutKind::shared)
    return formatted("in a cell: {}place in memory, in elements", before);
  if (view.cute() != nullptr) return "in a cell: offset";
  std::vector<std::string> outputs;
  for (const layout::Axis& axis : view.map()->outputs()) outputs.emplace_back(axis.name.text());
  return formatted("in a cell: {}", joined(outputs, ", "));
}

std::string row_label(const Coordinates& coordinates) {
  return joined(std::ranges::subrange(coordinates.begin(), coordinates.end() - 1), ",");
}

}  // namespace

std::uint64_t cell_count(const LayoutView& view) {
  const Extent all = extent(view);
  return times(all.rows, all.columns);
}

LayoutTable layout_table(const LayoutView& view, const TableLimits& limits) {
  const Extent all = extent(view);
  const std::uint64_t rows = std::min(all.rows, limits.rows);
  const std::uint64_t columns = std::min(all.columns, limits.columns);
  const Cells cells(view);
  LayoutTable result;
  const std::vector<std::string>& names = view.axes;
  result.table.heading.label =
      names.size() < 2
          ? ""
          : formatted("{}\\{}", joined(std::ranges::subrange(names.begin(), names.end() - 1), ","),
                      names.back());
  for (std::uint64_t column = 0; column < columns; ++column)
    result.table.heading.cells.push_back({formatted("{}", column)});
  for (std::uint64_t row = 0; row < rows; ++row) {
    Line line{names.size() < 2 ? std::string(view.kind == LayoutKind::held     ? "held by"
                                             : view.kind == LayoutKind::shared ? "place"
                                                                               : "value")
                               : row_label(coordinates_of(view, row, 0)),
              {}};
    for (std::uint64_t column = 0; column < columns; ++column)
      line.cells.push_back(cells.cell(coordinates_of(view, row, column)));
    result.table.lines.push_back(std::move(line));
  }
  result.legend = legend_of(view);
  if (view.kind == LayoutKind::held)
    result.colours = "a colour for each lane";
  else if (view.kind == LayoutKind::shared || view.cute() != nullptr)
    result.colours = formatted(
        "equal colours where places are equal modulo {}{}", cells.group() * cells.colours(),
        cells.group() == 1 ? "" : formatted(", in groups of {}", cells.group()));
  std::vector<std::string> cut;
  if (rows < all.rows) cut.push_back(formatted("{} of {} rows", rows, all.rows));
  if (columns < all.columns) cut.push_back(formatted("{} of {} columns", columns, all.columns));
  if (!cut.empty())
    result.left_out = formatted("the first {}{}", joined(cut, " and "),
                                cell_count(view) > most_cells ? "" : "; --all shows everything");
  return result;
}

std::string cells_json(const LayoutView& view) {
  const Extent all = extent(view);
  if (times(all.rows, all.columns) > most_cells) return "null";
  const Cells cells(view);
  std::vector<std::pair<std::string_view, std::vector<std::int64_t>>> lists;
  for (std::uint64_t row = 0; row < all.rows; ++row) {
    for (std::uint64_t column = 0; column < all.columns; ++column) {
      const auto numbers = cells.numbers(coordinates_of(view, row, column));
      lists.resize(numbers.size());
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        lists[i].first = numbers[i].first;
        lists[i].second.push_back(numbers[i].second);
      }
    }
  }
  std::string text;
  for (const auto& [label, list] : lists)
    text += formatted("{}\"{}\":[{}]", text.empty() ? "" : ",", label, joined(list, ", "));
  return "{" + text + "}";
}

}  // namespace heddle::answers
