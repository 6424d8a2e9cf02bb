// Gluon's PartitionedSharedLayout: a tensor is divided into pieces along one dimension, and piece p
// goes to allocation p % number of allocations (partition). The layout is made for the two halves
// of gfx1250's LDS.
//
//   2 partitions, 4 groups, shape [128, 32], along dimension 0: eight pieces of [16, 32]
//   partition 0   P0 P2 P4 P6          contiguous
//   partition 1   P1 P3 P5 P7
//
// The map has two input axes: `offset`, which counts within one allocation, and `partition`.
//
// Source: Triton after 3.6, python/triton/experimental/gluon/language/amd/gfx1250/_layouts.py, and
// lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp (partitionedSharedToLinearLayout). Triton
// 3.6 does not have it, so no recorded output confirms this layout.
#pragma once

#include <variant>

#include "heddle/interop/triton/nvmma_shared.h"
#include "heddle/interop/triton/padded_shared.h"
#include "heddle/interop/triton/swizzled_shared.h"

namespace heddle::interop::triton {

/// Piece p of the tensor is piece p / num_partitions of partition p % num_partitions.
struct PartitionedSharedLayout {
  /// How the elements of one piece lie.
  using Piece =
      std::variant<PaddedSharedLayout, SwizzledSharedLayout, NVMMASharedLayout, SharedLinearLayout>;

  std::int64_t num_partitions;  // allocations
  std::int64_t num_groups;      // pieces in each
  std::int64_t partition_dim;   // the dimension that is cut
  Piece partition_layout;

  Result<void> verify() const;

  std::string mangle() const;

  Numbers tile() const;

  /// The map (offset[, block], partition) -> (dim0, dim1, …), and the padding within one
  /// allocation. Errors: those of verify(), those of a piece's layout, and a shape with fewer
  /// elements than pieces along partition_dim.
  Result<memory::SharedLayout> to_shared(const Numbers& shape) const;

 private:
  Numbers piece_tile() const {
    return std::visit([](const auto& own) { return own.tile(); }, partition_layout);
  }

  Result<memory::SharedLayout> shared_piece(const Numbers& part) const;
};

}  // namespace heddle::interop::triton
