// Builds copies of the tensor memory accelerator: the coordinates of a copy, and the copies of
// tiles of A and of B from global to shared memory.
//
// Source: PTX ISA 8.0, "Data Movement and Conversion Instructions: cp.async.bulk.tensor".
#pragma once

#include "compiler/nvidia/tensor_map.h"
#include "compiler/nvidia/warpgroup_context.h"

namespace heddle::compiler {

/// Where a tile begins along each plan::Loop (i32). For the batch it is null if there is only one
/// matrix.
using LoopNumbers = std::array<mlir::Value, 4>;

/// A matrix that is read or written by copies.
struct MappedMatrix {
  mlir::Value map;  // !llvm.ptr to its tensor map
  std::vector<MapDimension> dimensions;

  /// Coordinates of the box that begins at `numbers`.
  std::vector<mlir::Value> coordinates(const WarpgroupContext& context,
                                       const LoopNumbers& numbers) const;
};

class Copies {
 public:
  Copies(const WarpgroupContext& context, const MappedMatrix& a, const MappedMatrix& b)
      : context_(context), a_(a), b_(b) {}

  /// To be executed by one thread: starts the copies of step `step` along k of the tile `tile`, to
  /// the stage that begins at address `stage` of shared memory. The mbarrier at address `full`
  /// counts the bytes that arrive. If several thread blocks of the cluster need the same tile, each
  /// of them copies a part of it to all of them.
  void start(const BlockTile& tile, mlir::Value step, mlir::Value stage, mlir::Value full) const;

  /// Starts the copies of one operand, A or B, for the tile that begins at `numbers`, to `address`
  /// (i32) in shared memory. The mbarrier at `full` counts the bytes.
  void operand(instruction::Operand operand, LoopNumbers numbers, mlir::Value address,
               mlir::Value full) const;

 private:
  const WarpgroupContext& context_;
  const MappedMatrix &a_, &b_;
};

}  // namespace heddle::compiler
