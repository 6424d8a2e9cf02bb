// The places of operands in LDS and in packed operands: tiles of 16 rows, and slabs of 32 bytes of
// k.
//
// A "row" is a row of A or a column of B: A is m x k, and B counts as n x k. One row has two pieces
// of 16 bytes in one slab: 2 x 8 elements of 16 bits or 2 x 16 of 8 bits. What a tile has of one
// slab is called a cell: 16 rows of two pieces. In LDS and in packed operands, the 32 pieces of a
// cell are in the order of `cell`:
//
//     piece 0 of rows 0 .. 15, then piece 1 of rows 0 .. 15
//
// so that the 16 lanes of a fragment load read 256 consecutive bytes: no bank conflict, no padding,
// and one address register, since everything but the lane is an immediate offset.
//
// Lanes store a cell in the order `staging_lane`. Then the eight lanes of a phase store to eight
// different rows of one piece, both in the crosswise phases of gfx11 and in the consecutive phases
// of gfx12 (tests/kernels/slab_test.cpp proves both).
#pragma once

#include "heddle/device/fragment.h"
#include "heddle/layout/axes.h"
#include "heddle/layout/index.h"
#include "heddle/layout/text.h"
#include "heddle/memory/shared_index.h"

namespace heddle::kernels::rdna {

/// 16 bytes: what one access of a lane moves.
using Piece = device::Vector<std::uint32_t, 4>;

inline constexpr unsigned tile_rows = 16;
inline constexpr unsigned piece_bytes = 16;
inline constexpr unsigned slab_bytes = 32;  // of one row
inline constexpr unsigned cell_pieces = 32;
inline constexpr unsigned cell_bytes = cell_pieces * piece_bytes;

template <class T>
inline constexpr unsigned piece_elements = piece_bytes / sizeof(T);
template <class T>
inline constexpr unsigned slab_depth = slab_bytes / sizeof(T);

/// The layout of a cell, counted in pieces: offset -> (row of the tile, piece of the row).
inline constexpr memory::SharedLayout cell{
    layout::parse("offset: (1,0) (2,0) (4,0) (8,0) (0,1) -> row: 16, piece: 2").value(), {}};

/// The piece that a lane brings.
inline constexpr layout::LinearLayout staging_lane =
    layout::parse("lane: (1,0) (2,0) (4,0) (0,1) (8,0) -> row: 16, piece: 2").value();

/// The row and the piece of a cell that a lane loads from memory and stores in LDS.
struct StagedPiece {
  unsigned row, piece;
  HEDDLE_DEVICE explicit StagedPiece(unsigned lane)
      : row(layout::map_index<staging_lane>(lane)[0]),
        piece(layout::map_index<staging_lane>(lane)[1]) {}
  /// The distance of the piece from the start of the cell, in pieces.
  HEDDLE_DEVICE unsigned place() const { return memory::place_index<cell>(row, piece); }
};

/// The pieces of a cell that a lane multiplies: on gfx11 both pieces of its row, on gfx12 one of
/// them, which the catalogue's fragment of 16-bit elements names. 8-bit elements are shared out
/// among the lanes in the same way, since any order of k is right as long as A and B have the same
/// order.
struct Share {
  using Halves = device::FragmentA<device::half_t>;
  static constexpr int pieces = Halves::size / static_cast<int>(piece_elements<device::half_t>);
  /// The distance of the lane's first piece from the start of the cell, in pieces.
  HEDDLE_DEVICE static unsigned place(unsigned lane) {
    return memory::place_index<cell>(Halves::row(0, lane),
                                     Halves::column(0, lane) / piece_elements<device::half_t>);
  }
  /// The distance from a lane's first piece to its second, in pieces.
  static constexpr unsigned second_piece = memory::place_index<cell>(0u, 1u);
};

/// (tile, row of the tile) -> row of a group of `interleave` tiles. Row r of the group belongs to
/// tile r % interleave, so that neighbouring rows lie in different tiles but in the same lane. So a
/// lane that has read `interleave` neighbours along m or n writes whole pieces of k, one into each
/// tile.
template <int interleave>
inline constexpr layout::LinearLayout group_rows = layout::parse("tile: ; row: -> r: 1").value();
template <>
inline constexpr layout::LinearLayout group_rows<2> =
    layout::parse("tile: (1); row: (2) (4) (8) (16) -> r: 32").value();
template <>
inline constexpr layout::LinearLayout group_rows<4> =
    layout::parse("tile: (1) (2); row: (4) (8) (16) (32) -> r: 64").value();

/// Tiles of a group in packed operands.
inline constexpr int packed_interleave = 2;

/// The row in the thread block's rows of an operand for row `row` of tile `tile`.
template <int interleave>
HEDDLE_DEVICE constexpr unsigned block_row(unsigned tile, unsigned row) {
  return tile / interleave * (interleave * tile_rows) +
         layout::map_index<group_rows<interleave>>(tile % interleave, row)[0];
}

}  // namespace heddle::kernels::rdna
