// Which accesses move a tile between shared memory and registers, when the layouts of both are
// known: one for each instruction that a wave issues.
//
//   offsets = inverse(shared) ∘ held      (element, register, lane, warp, …) -> offset
//
// A position of a lane is its element and register as one number. One instruction moves several
// positions of every lane: those whose offsets differ in the lowest bits only, as far as the map
// and the padding keep them contiguous, and at most 16 bytes. Every combination of the remaining
// input bits, except those of the lane, is an instruction of its own. If one lane holds copies of
// an element, it loads the element once. If several lanes hold copies, all of them load the
// element, and only the first lane stores it; the others are masked out.
//
// ldmatrix and stmatrix move 8x8 matrices instead. The addresses are those of rows of 16 bytes. The
// catalogue has a map of the addresses and a map of the registers of each instruction: they say
// which lane gives which address and which lanes get the row. For host code; it allocates.
//
// EXAMPLE. A of gfx11's WMMA from rows of 32 halves, 64 bytes apart: lane l reads 8 halves of row l
// % 16, from column 0 or 8 on.
//
//     const SharedLayout tile{parse("offset: (0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,0) (4,0)"
//                                   " (8,0) -> m: 16, k: 32").value()};
//     const auto held = parse("register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,8)"
//                             " -> m: 16, k: 16").value();
//     const auto issued = issue(tile, held, {.kind = AccessKind::load, .element_bits = 16});
//
//     issued->list.size()            1: one ds_load_b128 moves all eight positions
//     list[0].bytes                  16
//     list[0].address                0, 64, 128, 192 … lane 16 begins at 16
//     cost(model, list[0].view())    what it costs in the banks of a processor
//
// The layouts here allow 2 to 16 bytes a lane. If a Move asks for 32 bytes, the error is "no access
// of 32 bytes a lane: the layouts allow powers of two from 2 to 16".
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "heddle/layout/linear_layout.h"
#include "heddle/layout/needs_cxx23.h"
#include "heddle/memory/banks.h"
#include "heddle/memory/shared_layout.h"

namespace heddle::memory {

/// How a tile is to be moved.
struct Move {
  AccessKind kind = AccessKind::load;
  int element_bits = 16;    // 4, 8, 16, 32 or 64
  int wave = 32;            // 32 or 64
  int bytes = 0;            // a lane: 1, 2, 4, 8 or 16; 0: the most that the layouts allow
  bool transposed = false;  // of matrix moves: `.trans`
  /// True if the elements that a lane moves in one access must lie in memory in the order of the
  /// lane's positions. Loads that exchange elements between lanes need this (transposed_read.h).
  bool ordered = false;
};

/// An access that a wave issues. It owns its addresses and knows the elements that it moves.
struct IssuedAccess {
  AccessKind kind = AccessKind::load;
  int bytes = 4;
  int matrices = 0;
  std::uint64_t active = 0;
  std::vector<std::uint32_t> address;    // in bytes from the start of the tile; one a lane
  std::vector<std::uint64_t> offset;     // of the first element there, unpadded; one a lane
  std::vector<std::uint64_t> positions;  // that a lane moves: of element and register as one number
  layout::Coordinates of;                // warp and what else is no position and no lane

  Access view() const { return {kind, bytes, matrices, active, address}; }
};

/// The accesses in the order of warps, thread blocks and registers, the registers fastest. All
/// addresses come from `offsets`, which counts elements without padding.
struct IssuedAccesses {
  std::vector<IssuedAccess> list;
  layout::LinearLayout offsets;  // (positions, lane, warp, …) -> (offset[, block])
  int element_bits = 16;
};

/// A value, or an error: a sentence that says what is wrong and what would be right.
template <class T>
using Answer = std::expected<T, std::string>;

/// More instructions than this are refused: no kernel issues as many, and each takes memory here.
inline constexpr std::size_t most_issued_accesses = 1 << 14;

/// The byte address, from the start of the tile, of the element with this offset. `offset` counts
/// elements without padding.
std::uint32_t address_of(const SharedLayout& shared, std::uint64_t offset, int element_bits);

/// The accesses that move the tile.
///
/// - `held` may have the inputs element, register, lane, warp and others; only `lane` is required.
/// Lanes beyond the number of lanes of a wave are those of further warps.
/// - The outputs of `held` are the axes of the tile by name, or the same number of axes with other
/// names, which are then matched in order. If these outputs are smaller than the tile, only the
/// beginning of the tile moves.
///
/// Errors are sentences: axes or sizes that do not fit, a width that the layouts do not allow, a
/// row of a matrix whose 16 bytes are not contiguous, too many instructions.
Answer<IssuedAccesses> issue(const SharedLayout& shared, const layout::LinearLayout& held,
                             const Move& move);

}  // namespace heddle::memory
