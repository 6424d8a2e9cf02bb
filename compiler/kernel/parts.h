// Blocks that share the k of one tile of D: each leaves its sums in memory, and the last to arrive
// adds them in the order of k, so that a result does not depend on who was last.
#pragma once

#include <vector>

#include "compiler/kernel/thread_context.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::compiler {

/// The parts of all tiles, and which of them this block has.
struct Parts {
  std::int64_t tiles;      // of D, of the whole batch
  std::int64_t splits;     // parts of each
  std::int64_t threads;    // of a block
  mlir::Value tile, part;  // i32: this block's
  mlir::Value workspace;   // !llvm.ptr<1>: plan::split_bytes, zeros before and after every launch
  llvm::StringRef scope;   // LLVM's name for all threads of the GPU
};

/// How a vendor's kernels reach memory.
class PartsMemory {
 public:
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
};

/// Leaves the thread's `sums`, 32 bits each, and runs `finish` on the sums of all parts in the last
/// block of a tile.
void add_parts(const ThreadContext& context, const Parts& parts, const PartsMemory& memory,
               const std::vector<mlir::Value>& sums,
               llvm::function_ref<void(const std::vector<mlir::Value>&)> finish);

}  // namespace heddle::compiler
