// Loads the scales of A or B from global memory into the registers from which matrix instructions
// read them.
#pragma once

#include <optional>
#include <vector>

#include "compiler/amd/kernel_context.h"

namespace heddle::compiler {

class Scales {
 public:
  /// `buffers` has one buffer, the matrix of the scales; or it is empty, and every scale is 1.
  Scales(const KernelContext& context, const plan::OperandPlan& operand,
         const std::vector<mlir::Value>& buffers);

  /// Loads the scales of the tile whose first k is `tile_k` (i32). Each value of the result (i32)
  /// has four scales; the value for a fragment is number atom * k_atoms + k_atom. `k_left` is the
  /// number of k from `tile_k` to the end of the workgroup's part of k; absent: at least as many as
  /// a tile has. A scale beyond that end may be any number but not NaN.
  std::vector<mlir::Value> load(mlir::Value tile_k, const std::optional<Extent>& k_left) const;

 private:
  const KernelContext& context_;
  const plan::OperandPlan& operand_;
  mlir::Value buffer_;       // null: there is none
  MatrixRecord matrix_;      // rows along m or n, columns by scale
  int units_;                // of k that a scale is for
  mlir::Value row_, block_;  // i32: the thread's place in the matrix, for k = 0
};

}  // namespace heddle::compiler
