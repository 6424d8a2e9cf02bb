// Gluon's NVMMASharedLayout: the layout of a tile in shared memory for the bulk copies and wgmma of
// sm_90 and later.
//
// The tile is divided into blocks, each of which one bulk tensor copy moves. A block has at most
// 256 elements in each dimension, and in the contiguous one it is as wide as the swizzle. Within a
// block, rows are contiguous. The index of a 16-byte group within its row is xored with the row's
// index within its group of eight rows: there are swizzle / 16 different xors.
//
// Source: Triton 3.6.0, lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp
// (nvmmaSharedToLinearLayout, getCoreMatrixLinearLayout) and Dialect.cpp (getTMABlockShape), and
// for a transposed block without a swizzle triton-lang/triton#10453 of 2026-06-03; the swizzles:
// PTX ISA 9.0, "Swizzling Modes".
//
// swizzle_byte_width 128 with elements of 16 bits: a row of a block is 64 elements, eight groups of
// 16 bytes. In row r, group g is stored in position g ^ (r % 8):
//
//     row     pos. 0    1     2     3     4     5     6     7
//     0       g0        g1    g2    g3    g4    g5    g6    g7
//     1       g1        g0    g3    g2    g5    g4    g7    g6
//     2       g2        g3    g0    g1    g6    g7    g4    g5
//     …
//     8       as row 0
//
// With width 64, a row has four groups, and the xor changes with every second row; with 32 it has
// two, and the xor changes with every fourth row. So in eight rows, the groups with the same index
// are in eight different 16-byte positions of the banks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "heddle/interop/triton/padded_shared.h"

namespace heddle::interop::triton {

struct NVMMASharedLayout {
  std::int64_t swizzle_byte_width;  // 0, 32, 64 or 128
  std::int64_t element_bitwidth;    // 8, 16, 32 or 64
  std::int64_t rank = 2;
  bool transposed = false;  // the first dimension is contiguous, not the last
  bool fp4_padded = false;  // 8 bytes of pairs of fp4, then 8 bytes free
  Bases cga_layout{};

  Result<void> verify() const;

  std::string mangle() const;

  /// The smallest tile: eight rows as wide as the swizzle; 16 bytes wide without a swizzle.
  Numbers tile() const;

  /// The map (offset[, block]) -> (dim0, dim1, …). With fp4_padded the unused bytes are zero bases.
  /// Errors: those of verify(), a shape smaller than eight rows as wide as the swizzle.
  Result<memory::SharedLayout> to_shared(const Numbers& shape) const;

 private:
  static constexpr std::int64_t most_in_a_copy = 256;  // elements in a dimension of one bulk copy

  std::size_t contiguous() const { return transposed ? 0 : static_cast<std::size_t>(rank) - 1; }
  std::int64_t row_elements() const {
    return 8 * std::max<std::int64_t>(16, swizzle_byte_width) / element_bitwidth;
  }

  /// The block that one bulk copy moves, in elements and in the order of the tensor's dimensions.
  /// `part` is the shape of the CTA's part.
  Result<Numbers> copied(const Numbers& part) const;

  /// The map of a block without a swizzle: its elements are contiguous, the last dimension fastest.
  /// If transposed, the first dimension is fastest, then the others from the last to the second.
  /// Triton before June 2026 (including 3.6.0) ignored `transposed` here.
  Result<layout::LinearLayout> plain(const Numbers& part) const;

  /// The map of a swizzled block: eight rows with their swizzle, repeated over the block. All
  /// dimensions except the contiguous one count as one dimension of rows.
  Result<layout::LinearLayout> swizzled(const Numbers& part) const;

  /// The map of eight rows (dim0) that are as wide as the swizzle (dim1).
  Result<layout::LinearLayout> core_matrix() const;
};

}  // namespace heddle::interop::triton
