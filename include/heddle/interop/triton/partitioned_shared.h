// Gluon's PartitionedSharedLayout: a tensor is cut into pieces along one dimension, and the pieces
// lie in several allocations in turn. It is made for the halves of gfx1250's LDS.
//
//   2 partitions, 4 groups, shape [128, 32], along dimension 0: eight pieces of [16, 32]
//   partition 0   P0 P2 P4 P6          one behind the other
//   partition 1   P1 P3 P5 P7
//
// The map has an input axis `partition` besides `offset`, which counts inside one allocation.
//
// Source: Triton after 3.6, python/triton/experimental/gluon/language/amd/gfx1250/_layouts.py, and
// lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp (partitionedSharedToLinearLayout). Triton
// 3.6 lacks it, so no recorded answer confirms this layout.
#pragma once

#include <variant>

#include "heddle/interop/triton/nvmma_shared.h"
#include "heddle/interop/triton/padded_shared.h"
#include "heddle/interop/triton/swizzled_shared.h"

namespace heddle::interop::triton {

/// Piece p is piece p / num_partitions of partition p % num_partitions.
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

  /// (offset[, block], partition) -> (dim0, dim1, …), and the padding inside one allocation.
  /// Errors: those of verify(), those of a piece's layout, and a shape with fewer elements than
  /// pieces along partition_dim.
  Result<memory::SharedLayout> to_shared(const Numbers& shape) const;

 private:
  Numbers piece_tile() const {
    return std::visit([](const auto& own) { return own.tile(); }, partition_layout);
  }

  Result<memory::SharedLayout> shared_piece(const Numbers& part) const;
};

}  // namespace heddle::interop::triton
