// Blocks that share the k of one tile of D: each leaves its sums in memory, and the last to arrive
// adds them in the order of k, so that a result does not depend on who was last.
#pragma once

#include <functional>
#include <vector>

#include "compiler/kernel/product_frame.h"

namespace heddle::compiler {

/// Where blocks and threads meet.
struct PartsMemory {
  mlir::Value workspace;  // !llvm.ptr<1>: plan::split_bytes, zeros before and after every launch
  mlir::Value shared;     // !llvm.ptr<3>: shared memory, whose tiles nobody reads any more
  llvm::StringRef scope;  // LLVM's name for all threads of the GPU
  std::function<void()> barrier;  // for all threads of the block
};

/// Leaves the thread's `sums`, 32 bits each, and runs `finish` on the sums of all parts in the last
/// block of a tile.
void add_parts(const SizedContext& context, const plan::ProductPlan& plan, const BlockPart& block,
               const PartsMemory& memory, const std::vector<mlir::Value>& sums,
               llvm::function_ref<void(const std::vector<mlir::Value>&)> finish);

}  // namespace heddle::compiler
