// State that the parts of the mma.sync kernel share. The kernel runs the parts in this order:
// tile_copies.h, mma_fragments.h, result_stores.h. mma_kernel.cpp puts them together.
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
