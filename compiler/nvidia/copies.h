// Copies of the tensor memory accelerator: the coordinates of all, and those from global to shared
// memory, a tile of A and one of B.
//
// Source: PTX ISA 8.0, "Data Movement and Conversion Instructions: cp.async.bulk.tensor".
#pragma once

#include "compiler/nvidia/tensor_map.h"
#include "compiler/nvidia/warpgroup_context.h"

namespace heddle::compiler {

/// A number of each plan::Loop; i32. That of the batch is null for the only matrix.
using LoopNumbers = std::array<mlir::Value, 4>;

/// A matrix that copies read or write.
struct MappedMatrix {
  mlir::Value map;  // !llvm.ptr to its tensor map
  std::vector<MapDimension> dimensions;

  /// The coordinates of what begins at `numbers`.
  std::vector<mlir::Value> coordinates(const WarpgroupContext& context,
                                       const LoopNumbers& numbers) const;
};

class Copies {
 public:
  Copies(const WarpgroupContext& context, const MappedMatrix& a, const MappedMatrix& b)
      : context_(context), a_(a), b_(b) {}

  /// For one thread: starts to copy what step number `step` of `tile` multiplies to the stage that
  /// begins at `stage`; its bytes are counted by the barrier at `full`. What several blocks of the
  /// cluster need, each copies a part of, to all of them.
  void start(const BlockTile& tile, mlir::Value step, mlir::Value stage, mlir::Value full) const;

 private:
  void operand(instruction::Operand operand, LoopNumbers numbers, mlir::Value address,
               mlir::Value full) const;

  const WarpgroupContext& context_;
  const MappedMatrix &a_, &b_;
};

}  // namespace heddle::compiler
