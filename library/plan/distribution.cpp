#include "heddle/plan/distribution.h"

#include <bit>
#include <expected>
#include <string>
#include <vector>

#include "library/text/formatted.h"

namespace heddle::plan {
namespace detail {

std::string number(std::uint64_t value) { return formatted("{}", value); }

std::string why_not(const TileShape& tile) {
  for (const std::uint64_t size :
       {tile.rows, tile.columns, tile.row_warps, tile.column_warps, tile.other_warps}) {
    if (!std::has_single_bit(size))
      return "the tile " + number(tile.rows) + "x" + number(tile.columns) +
             " and its warps must be powers of two, " + number(size) + " is not";
  }
  if (tile.rows > 65536 || tile.columns > 65536 || tile.row_warps * tile.column_warps > 1024)
    return "a tile has at most 65536 rows and columns and 1024 warps";
  return "";
}

}  // namespace detail

std::expected<layout::LinearLayout, std::string> distributed(const layout::LinearLayout& fragment,
                                                             const TileShape& tile) {
  if (const std::string error = detail::why_not(tile); !error.empty())
    return std::unexpected(error);
  if (fragment.outputs().size() != 2)
    return std::unexpected(
        formatted("the fragment has {} dimensions; a tile has two", fragment.outputs().size()));
  const std::uint64_t rows = std::uint64_t{1} << fragment.outputs()[0].bits;
  const std::uint64_t columns = std::uint64_t{1} << fragment.outputs()[1].bits;
  if (rows * tile.row_warps > tile.rows || columns * tile.column_warps > tile.columns)
    return std::unexpected("a tile of " + detail::number(tile.rows) + "x" +
                           detail::number(tile.columns) + " is smaller than " +
                           detail::number(tile.row_warps) + "x" +
                           detail::number(tile.column_warps) + " warps with a fragment of " +
                           detail::number(rows) + "x" + detail::number(columns) + " each" +
                           (rows > tile.rows || columns > tile.columns
                                ? ""
                                : "; at most " + detail::number(tile.rows / rows) + "x" +
                                      detail::number(tile.columns / columns) + " fit"));
  detail::Bases bases(tile);
  for (const layout::Axis& axis : fragment.inputs()) {
    const bool is_lane = axis.name == layout::AxisName("lane");
    if (!is_lane && axis.name != layout::AxisName("element") &&
        axis.name != layout::AxisName("register"))
      return std::unexpected("the fragment has an axis '" + std::string(axis.name.text()) +
                             "'; element, register and lane can be spread over a tile");
    for (int bit = 0; bit < axis.bits; ++bit) {
      const std::uint64_t word =
          fragment.basis(fragment.inputs().offset(fragment.inputs().find(axis.name)) + bit);
      (is_lane ? bases.lanes : bases.registers)
          .push_back(bases.word(fragment.outputs().coordinate(word, 0),
                                fragment.outputs().coordinate(word, 1)));
    }
  }
  const std::uint64_t warp_rows = tile.rows / tile.row_warps;
  const std::uint64_t warp_columns = tile.columns / tile.column_warps;
  bases.columns(bases.registers, columns, warp_columns);
  detail::Bases::rows(bases.registers, rows, warp_rows);
  bases.warps.resize(static_cast<std::size_t>(std::countr_zero(tile.other_warps)));
  detail::Bases::rows(bases.warps, warp_rows, tile.rows);
  bases.columns(bases.warps, warp_columns, tile.columns);
  return bases.layout();
}

std::expected<layout::LinearLayout, std::string> coalesced(const TileShape& tile,
                                                           std::uint64_t vector, int lanes,
                                                           bool along_rows) {
  if (const std::string error = detail::why_not(tile); !error.empty())
    return std::unexpected(error);
  const std::uint64_t line = along_rows ? tile.rows : tile.columns;
  if (!std::has_single_bit(vector) || vector > line)
    return std::unexpected("a vector of " + detail::number(vector) + " elements: it must be a " +
                           "power of two and at most the " + detail::number(line) +
                           " elements of a line");
  detail::Bases bases(tile);
  std::vector<std::uint64_t> order;
  if (along_rows) {
    detail::Bases::rows(order, 1, tile.rows);
    bases.columns(order, 1, tile.columns);
  } else {
    bases.columns(order, 1, tile.columns);
    detail::Bases::rows(order, 1, tile.rows);
  }
  std::size_t next = 0;
  const auto take = [&](std::vector<std::uint64_t>& into, int bits) {
    for (; bits > 0; --bits) into.push_back(next < order.size() ? order[next++] : 0);
  };
  take(bases.registers, std::countr_zero(vector));
  take(bases.lanes, std::countr_zero(static_cast<unsigned>(lanes)));
  take(bases.warps, std::countr_zero(tile.row_warps * tile.column_warps * tile.other_warps));
  take(bases.registers, static_cast<int>(order.size() - next));
  return bases.layout();
}

}  // namespace heddle::plan
