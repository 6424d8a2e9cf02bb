// Triton's encodings of tensor memory (sm_100): (row, col[, block]) -> (dim0, dim1). A row is a
// lane of tensor memory, of which there are 128; a column has 32 bits.
//
// A zero basis of `row` 32 or 64 means copies, which other warps address. Any other zero basis
// means that nothing is there.
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

  /// Errors: another block_m, sizes that are no powers of two, bases that are none.
  Result<void> verify() const;

  /// Empty: Gluon has no such name of it here.
  std::string mangle() const { return ""; }

  /// One block of each CTA.
  Numbers tile() const;

  /// Errors: those of verify(), a shape that is no matrix or smaller than a block.
  Result<layout::LinearLayout> to_rows(const Numbers& shape) const;
};

/// #ttng.tensor_memory_scales_encoding: a byte for each row of a matrix and each group along k. 32
/// lanes hold 32 rows, and all four groups of lanes hold the same.
struct TensorMemoryScalesLayout {
  Bases cga_layout{};

  Result<void> verify() const;
  std::string mangle() const { return ""; }

  /// 64 rows of four scales in each CTA.
  Numbers tile() const;

  /// Errors: those of verify(), a shape that is no matrix.
  Result<layout::LinearLayout> to_rows(const Numbers& shape) const;
};

}  // namespace heddle::interop::triton
