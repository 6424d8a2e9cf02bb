// Triton's encodings of tensor memory (sm_100): maps (row, col[, block]) -> (dim0, dim1). A row is
// one of the 128 lanes of tensor memory; a column has 32 bits.
//
// If the basis of the bit of `row` with value 32 or 64 is zero, rows that differ only in this bit
// are copies, which other warps access. Any other zero basis means that the place is unused.
//
// Source: Triton's main branch of 2026, lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp
// (tensorMemoryToLinearLayout, tensorMemoryScalesToLinearLayout); PTX ISA, "tcgen05 Data Path
// Layout".
#pragma once

#include "heddle/interop/triton/bases.h"

namespace heddle::interop::triton {

/// #ttng.tensor_memory_encoding: a matrix in blocks of 64 or 128 rows.
struct TensorMemoryLayout {
  std::int64_t block_m;         // 64 or 128
  std::int64_t block_n;         // a power of two
  std::int64_t col_stride = 1;  // columns from one to the next that is used: 1, 2 or 4
  Bases cga_layout{};
  bool two_ctas = false;    // the instruction spans two CTAs
  bool fp4_padded = false;  // every other column is free

  /// Errors: a block_m that is neither 64 nor 128, sizes that are not powers of two, invalid bases.
  Result<void> verify() const;

  /// Empty: no name that Gluon gives this layout is known here.
  std::string mangle() const { return ""; }

  /// One block of each CTA.
  Numbers tile() const;

  /// The map for a tensor of this shape. Errors: those of verify(), a shape that is not a matrix or
  /// is smaller than a block.
  Result<layout::LinearLayout> to_rows(const Numbers& shape) const;
};

/// #ttng.tensor_memory_scales_encoding: a scale of one byte for each row of a matrix and each group
/// along k. 32 lanes hold 32 rows, and all four groups of 32 lanes hold the same scales.
struct TensorMemoryScalesLayout {
  Bases cga_layout{};

  Result<void> verify() const;
  std::string mangle() const { return ""; }

  /// The smallest tile: 64 rows of four scales in each CTA.
  Numbers tile() const;

  /// The map for a tensor of this shape. Errors: those of verify(), a shape that is not a matrix.
  Result<layout::LinearLayout> to_rows(const Numbers& shape) const;
};

}  // namespace heddle::interop::triton
