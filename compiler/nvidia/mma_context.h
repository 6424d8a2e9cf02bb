// What the parts of the mma.sync kernel share. The parts, in the order in which the kernel runs
// them: tile_copies.h, mma_fragments.h, result_stores.h; mma_kernel.cpp puts them together.
#pragma once

#include "compiler/nvidia/global_matrix.h"
#include "heddle/plan/mma_plan.h"

namespace heddle::compiler {

struct MmaContext : GlobalContext {
  MmaContext(mlir::ImplicitLocOpBuilder& at, const plan::MmaPlan& the_plan)
      : GlobalContext{{{at, {}, {}}, {}}}, plan(the_plan) {}

  const plan::MmaPlan& plan;
  Extent depth;               // k of the block
  mlir::Value part, first_k;  // i32: which part of k it has, and where that begins; or null
  mlir::Value tile;           // i32: number of the only tile of D; null without parts
  mlir::Value shared;         // !llvm.ptr<3>: dynamic shared memory

  mlir::Type integer(int bits) const { return builder.getIntegerType(static_cast<unsigned>(bits)); }
};

}  // namespace heddle::compiler
