// Sums of softmax(S) V over some of the keys, and how warps and blocks join theirs.
//
// A thread has elements of O and, for each of its rows, the maximum m that was subtracted from the
// scores and the sum l of exponentials; O and l are not yet divided. Those of several lists of keys
// are joined as
//
//   M = the largest m        O = sum of O_i 2^(factor (m_i - M))        l likewise
//
// A list without a key has m = -infinity, O = 0 and l = 0, and changes nothing.
#pragma once

#include <vector>

#include "compiler/kernel/parts.h"
#include "compiler/tile/machine.h"

namespace heddle::compiler {

/// A thread's sums in one list: elements of O, m of each row, l of each row, and zeros up to a
/// multiple of 4.
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

  /// Warps whose numbers differ in their low bits have the same elements of sums over different
  /// keys. Each receives the joined sums of as many elements: those of `form`, which are elements
  /// i * n to (i + 1) * n - 1 for warp i of them; `sums` has all, in the same form.
  struct Warps {
    int count = 1, all = 1;  // that share elements; of the block
    int lanes = 32;
    mlir::Value shared;  // !llvm.ptr<3>: 4 * size * threads bytes that nobody uses
  };
  std::vector<mlir::Value> joined_by_warps(const Warps& warps,
                                           const std::vector<mlir::Value>& sums) const;

  /// Joins the sums of blocks, and runs `finish` with the result in the last block of a tile.
  void join_blocks(const PartsMemory& memory, mlir::Value tile, mlir::Value part,
                   const std::vector<mlir::Value>& sums,
                   llvm::function_ref<void(const std::vector<mlir::Value>&)> finish) const;

 private:
  const GlobalContext& context_;
  const Machine& machine_;
  SoftmaxSums form_;
};

}  // namespace heddle::compiler
