// Blocks that share the k of one tile of D: each leaves its sums in memory, and the last to arrive
// adds them in the order of k, so that a result does not depend on who was last.
#pragma once

#include <vector>

#include "compiler/kernel/product_frame.h"

namespace heddle::compiler {

/// How a vendor's kernels reach memory.
class PartsMemory {
 public:
  /// `workspace`: !llvm.ptr<1> to plan::ProductPlan::workspace_bytes, zeros before and after every
  /// launch. `scope`: LLVM's name for all threads of the GPU.
  PartsMemory(mlir::Value workspace, llvm::StringRef scope) : workspace(workspace), scope(scope) {}
  virtual ~PartsMemory() = default;
  /// An element of `type` of the workspace, `offset` bytes (i32) from its beginning; and the
  /// reverse.
  virtual mlir::Value load(mlir::Type type, mlir::Value offset) const = 0;
  virtual void store(mlir::Value value, mlir::Value offset) const = 0;
  /// A word (i32) at the beginning of shared memory, whose tiles nobody reads any more.
  virtual mlir::Value load_shared() const = 0;
  virtual void store_shared(mlir::Value word) const = 0;
  /// For all threads of the block.
  virtual void barrier() const = 0;

  const mlir::Value workspace;
  const llvm::StringRef scope;
};

/// Leaves the thread's `sums`, 32 bits each, and runs `finish` on the sums of all parts in the last
/// block of a tile.
void add_parts(const ThreadContext& context, const plan::ProductPlan& plan, const BlockPart& block,
               const PartsMemory& memory, const std::vector<mlir::Value>& sums,
               llvm::function_ref<void(const std::vector<mlir::Value>&)> finish);

}  // namespace heddle::compiler
