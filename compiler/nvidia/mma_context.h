// What the parts of the mma.sync kernel's builder share. mma_kernel.cpp calls the parts. The code
// that they build runs in this order: tile_copies.h (tiles to shared memory), mma_fragments.h
// (multiplications), result_stores.h (sums to D).
#pragma once

#include "compiler/kernel/global_matrix.h"
#include "compiler/plan/mma_plan.h"

namespace heddle::compiler {

struct MmaContext : GlobalContext {
  MmaContext(mlir::ImplicitLocOpBuilder& at, const MatmulRequest& the_request,
             const plan::MmaPlan& the_plan)
      : GlobalContext{{{at, {}, {}}, {}}}, request(the_request), plan(the_plan) {}

  const MatmulRequest& request;
  const plan::MmaPlan& plan;
  BlockPart part;      // of k
  mlir::Value shared;  // !llvm.ptr<3>: dynamic shared memory

  mlir::Type integer(int bits) const { return builder.getIntegerType(static_cast<unsigned>(bits)); }
};

}  // namespace heddle::compiler
