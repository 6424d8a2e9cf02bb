// How a tile is spread over the registers, lanes and warps of a thread block: by repeating an
// instruction's fragment, or by rows in the order of global memory.
//
// EXAMPLES, with the accumulator of gfx11's WMMA, 16 x 16, as the fragment:
//
//     distributed(fragment, {.rows = 64, .columns = 32, .row_warps = 2, .column_warps = 2})
//         register: (2,0) (4,0) (8,0) (16,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0);
//         warp: (32,0) (0,16) -> dim0: 64, dim1: 32
//
// Each of the four warps holds two fragments, one below the other: register bit 3 is (16,0).
//
//     coalesced({.rows = 16, .columns = 64, .row_warps = 2}, 8, 32)
//         register: (0,1) (0,2) (0,4) (8,0); lane: (0,8) (0,16) (0,32) (1,0) (2,0);
//         warp: (4,0) -> dim0: 16, dim1: 64
//
// Eight lanes read a row of 64 elements, 8 each. A warp reads four rows and two warps eight; then
// the first warp goes on at row 8, in its next registers.
#pragma once

#include <bit>
#include <expected>
#include <string>
#include <vector>

#include "heddle/layout/linear_layout.h"
#include "heddle/layout/needs_cxx23.h"

namespace heddle::plan {

/// A tile of rows x columns and the warps that share it. All numbers are powers of two. The thread
/// block has row_warps * column_warps * other_warps warps.
struct TileShape {
  std::uint64_t rows = 16;
  std::uint64_t columns = 16;
  std::uint64_t row_warps = 1;     // warps side by side along the rows …
  std::uint64_t column_warps = 1;  // … and along the columns; the first vary faster
  std::uint64_t other_warps = 1;   // further warps, which hold copies; they vary fastest
};

namespace detail {

std::string number(std::uint64_t value);

/// The reason why `tile` is no valid shape (a number that is no power of two, for example); empty
/// if it is valid.
std::string why_not(const TileShape& tile);

/// Collects bases for (register, lane, warp) -> (dim0, dim1).
class Bases {
 public:
  explicit Bases(const TileShape& tile)
      : row_bits_(std::countr_zero(tile.rows)),
        dims_{{"dim0", row_bits_}, {"dim1", std::countr_zero(tile.columns)}} {}

  std::uint64_t word(std::uint64_t row, std::uint64_t column) const {
    return row | column << row_bits_;
  }
  /// Appends the bases of the row bits: from, 2 * from, 4 * from, … below `to`.
  static void rows(std::vector<std::uint64_t>& into, std::uint64_t from, std::uint64_t to) {
    for (; from < to; from *= 2) into.push_back(from);
  }
  void columns(std::vector<std::uint64_t>& into, std::uint64_t from, std::uint64_t to) const {
    for (; from < to; from *= 2) into.push_back(word(0, from));
  }

  layout::LinearLayout layout() const {
    layout::LinearLayout::Bases bases{};
    std::size_t next = 0;
    for (const auto* words : {&registers, &lanes, &warps})
      for (const std::uint64_t basis : *words) bases[next++] = basis;
    return layout::LinearLayout::from_words({{"register", static_cast<int>(registers.size())},
                                             {"lane", static_cast<int>(lanes.size())},
                                             {"warp", static_cast<int>(warps.size())}},
                                            dims_, bases)
        .value();
  }

  std::vector<std::uint64_t> registers, lanes, warps;

 private:
  int row_bits_;
  layout::AxisList dims_;
};

}  // namespace detail

/// `fragment`, (element, register, lane) -> (rows, columns), repeated over a tile. Each warp holds
/// its share of rows and columns; the fragment repeats along the columns first. The result is
/// (register, lane, warp) -> (dim0, dim1), in which element and register are one axis. Errors: a
/// fragment with other axes; a warp's share that is not a multiple of the fragment.
std::expected<layout::LinearLayout, std::string> distributed(const layout::LinearLayout& fragment,
                                                             const TileShape& tile);

/// The tile as threads copy it from global memory.
///
/// - Each lane takes `vector` elements that are neighbours along the columns (along the rows if
/// `along_rows`).
/// - The next lane takes the next elements, to the end of the line and then on the next line.
/// - After the last lane of a warp, the first lane of the next warp goes on. After the last warp,
/// the first warp goes on with its next registers.
///
/// Threads beyond the tile hold copies. Errors: sizes that are no powers of two, a vector longer
/// than the line.
std::expected<layout::LinearLayout, std::string> coalesced(const TileShape& tile,
                                                           std::uint64_t vector, int lanes,
                                                           bool along_rows = false);

}  // namespace heddle::plan
