// Copies of the tensor memory accelerator from global to shared memory: a tile of A and one of B.
//
// Source: PTX ISA 8.0, "Data Movement and Conversion Instructions: cp.async.bulk.tensor".
#pragma once

#include "compiler/nvidia/tile_order.h"
#include "compiler/nvidia/warpgroup_context.h"

namespace heddle::compiler {

class Copies {
 public:
  /// `a_map` and `b_map`: !llvm.ptr to the tensor maps.
  Copies(const WarpgroupContext& context, mlir::Value a_map, mlir::Value b_map)
      : context_(context), a_map_(a_map), b_map_(b_map) {}

  /// For one thread: starts to copy what step number `step` of `tile` multiplies to the stage that
  /// begins at `stage`; its bytes are counted by the barrier at `full`. What several blocks of the
  /// cluster need, each copies a part of, to all of them.
  void start(const Tile& tile, mlir::Value step, mlir::Value stage, mlir::Value full) const;

 private:
  void operand(instruction::Operand operand, mlir::Value mn, mlir::Value k, mlir::Value address,
               mlir::Value full) const;

  const WarpgroupContext& context_;
  mlir::Value a_map_, b_map_;
};

}  // namespace heddle::compiler
