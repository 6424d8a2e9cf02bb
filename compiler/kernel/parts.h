// Combines the sums of several thread blocks that compute the same tile of D, each for a part of k.
// Each block stores its sums in memory. The block that finishes last combines all of them, in the
// order of k, so that the result does not depend on which block was last.
#pragma once

#include <functional>
#include <vector>

#include "compiler/kernel/product_frame.h"

namespace heddle::compiler {

/// The memory through which the thread blocks of a tile exchange their sums, and count how many of
/// them have finished.
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

/// Returns the thread's sums from `begin` to `end` (exclusive), each combined over all parts.
/// Either both numbers are multiples of 4, or they are 0 and the number of all sums. The code that
/// loads the sums is built where this function is called.
using ReadSums = llvm::function_ref<std::vector<mlir::Value>(std::size_t begin, std::size_t end)>;

/// Stores the thread's `sums` (32 or 64 bits each) as part number `part` (i32) of tile number
/// `tile` (i32). The thread block that finishes last among those of the tile then runs `finish`.
void add_parts(const SizedContext& context, const PartsMemory& memory, mlir::Value tile,
               mlir::Value part, plan::Step combine, const std::vector<mlir::Value>& sums,
               llvm::function_ref<void(ReadSums)> finish);

/// Returns the thread's sums from `begin` to `end` (exclusive) that part number `part` (i32) has
/// stored. Either both numbers are multiples of 4, or they are 0 and the number of all sums.
using ReadPart = llvm::function_ref<std::vector<mlir::Value>(mlir::Value part, std::size_t begin,
                                                             std::size_t end)>;

/// Like add_parts, for values that cannot be combined by a single step: `finish` gets the values of
/// each part, and combines them itself.
void join_parts(const SizedContext& context, const PartsMemory& memory, mlir::Value tile,
                mlir::Value part, const std::vector<mlir::Value>& sums,
                llvm::function_ref<void(ReadPart)> finish);

}  // namespace heddle::compiler
