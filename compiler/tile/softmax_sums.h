// Sums of softmax(S) V over only some of the keys, and how warps and thread blocks join their sums.
//
// A thread has elements of O and, for each of its rows, the maximum m that was subtracted from the
// scores and the sum l of exponentials. O and l are not divided yet. "List" is the name here for
// what one thread has: O, m and l. Lists i over different keys are joined as
//
//   M = the largest m_i
//   O = sum of O_i 2^(factor (m_i - M))
//   l = sum of l_i 2^(factor (m_i - M))
//
// A list over no keys has m = -infinity, O = 0 and l = 0, and changes nothing when it is joined.
#pragma once

#include <vector>

#include "compiler/kernel/parts.h"
#include "compiler/tile/machine.h"

namespace heddle::compiler {

/// The order of the values in a list: the elements of O, then m of each row, then l of each row,
/// then zeros up to a multiple of 4 values.
struct SoftmaxSums {
  std::vector<std::size_t> row_of;  // the number of the row of each element of O
  std::size_t rows = 0;
  double factor = 1;  // of scores, which are exponents of 2 then

  std::size_t size() const { return (row_of.size() + 2 * rows + 3) / 4 * 4; }
};

class SumsJoiner {
 public:
  SumsJoiner(const GlobalContext& context, const Machine& machine, SoftmaxSums form)
      : context_(context), machine_(machine), form_(std::move(form)) {}

  /// At least one list.
  std::vector<mlir::Value> joined(const std::vector<std::vector<mlir::Value>>& lists) const;

  /// Joins the sums of `count` neighbouring warps, which have sums for the same elements of O over
  /// different keys. `sums` are the thread's own sums of all these elements. Afterwards each warp
  /// has the joined sums of some of the elements: warp i has elements i * n to (i + 1) * n - 1,
  /// where n is the number of elements of O in `form`. The result is a list in the order of `form`.
  struct Warps {
    int count = 1, all = 1;  // that share elements; of the block
    int lanes = 32;
    mlir::Value shared;  // !llvm.ptr<3>: 4 * size * threads bytes that nobody uses
  };
  std::vector<mlir::Value> joined_by_warps(const Warps& warps,
                                           const std::vector<mlir::Value>& sums) const;

  /// Joins the sums of the thread blocks that share a tile of queries. The thread block that ends
  /// last runs `finish` with the joined sums.
  void join_blocks(const PartsMemory& memory, mlir::Value tile, mlir::Value part,
                   const std::vector<mlir::Value>& sums,
                   llvm::function_ref<void(const std::vector<mlir::Value>&)> finish) const;

 private:
  const GlobalContext& context_;
  const Machine& machine_;
  SoftmaxSums form_;
};

}  // namespace heddle::compiler
