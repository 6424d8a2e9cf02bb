// Blocks that share the k of one tile of D. Each block leaves its sums in memory. The last block to
// arrive joins them in the order of k, so that the result does not depend on which block was last.
#pragma once

#include <functional>
#include <vector>

#include "compiler/kernel/product_frame.h"

namespace heddle::compiler {

/// The memory in which blocks and threads meet.
struct PartsMemory {
  plan::SplitMemory sizes;
  mlir::Value workspace;          // !llvm.ptr<1>: zeros before and after every launch
  mlir::Value shared;             // !llvm.ptr<3>: four bytes of shared memory that nobody uses now
  llvm::StringRef scope;          // LLVM's name for all threads of the GPU
  mlir::Value thread;             // i32: its number among those of the block that hold sums
  std::function<void()> barrier;  // for all of these
  mlir::Value leaves = {};        // i1, where threads of one number hold the same sums: it is the
                                  // one that leaves them; null: there are no others
};

/// The combined sums of all parts, from number `begin` to `end` of a thread's sums. Both are
/// multiples of 4, or they are 0 and the number of all sums. They are loaded where this is called.
using ReadSums = llvm::function_ref<std::vector<mlir::Value>(std::size_t begin, std::size_t end)>;

/// Stores the thread's `sums`, of 32 or 64 bits each, as part `part` (i32) of tile number `tile`
/// (i32), and runs `finish` in the last block of a tile.
void add_parts(const SizedContext& context, const PartsMemory& memory, mlir::Value tile,
               mlir::Value part, plan::Step combine, const std::vector<mlir::Value>& sums,
               llvm::function_ref<void(ReadSums)> finish);

/// The sums of part `part` (i32), from number `begin` to `end` of a thread's sums; the same numbers
/// as for ReadSums, but that any two multiples of 4 will do.
using ReadPart = llvm::function_ref<std::vector<mlir::Value>(mlir::Value part, std::size_t begin,
                                                             std::size_t end)>;

/// The same for sums that no single step combines: `finish` joins the parts.
void join_parts(const SizedContext& context, const PartsMemory& memory, mlir::Value tile,
                mlir::Value part, const std::vector<mlir::Value>& sums,
                llvm::function_ref<void(ReadPart)> finish);

}  // namespace heddle::compiler
