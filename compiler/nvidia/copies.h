// Copies of the tensor memory accelerator: the coordinates of all copies, and the copies of a tile
// of A and of B from global to shared memory.
//
// Source: PTX ISA 8.0, "Data Movement and Conversion Instructions: cp.async.bulk.tensor".
#pragma once

#include "compiler/nvidia/tensor_map.h"
#include "compiler/nvidia/warpgroup_context.h"

namespace heddle::compiler {

/// The number of each plan::Loop (i32); null for the batch if there is only one matrix.
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

  /// For one thread: starts the copies of k step `step` of `tile` into the stage at `stage`. The
  /// barrier at `full` counts their bytes. If several blocks of the cluster need the same tile,
  /// each copies a part of it to all of them.
  void start(const BlockTile& tile, mlir::Value step, mlir::Value stage, mlir::Value full) const;

  /// The same for the tile of A or B at `numbers` alone, which goes to `address` (i32).
  void operand(instruction::Operand operand, LoopNumbers numbers, mlir::Value address,
               mlir::Value full) const;

 private:
  const WarpgroupContext& context_;
  const MappedMatrix &a_, &b_;
};

}  // namespace heddle::compiler
