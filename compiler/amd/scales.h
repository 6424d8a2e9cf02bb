// Loads the scales of A or B from global memory into the registers from which matrix instructions
// read them.
#pragma once

#include <optional>
#include <vector>

#include "compiler/amd/kernel_context.h"

namespace heddle::compiler {

class Scales {
 public:
  /// For the matrices in `buffers`: one, or none if every scale is 1.
  Scales(const KernelContext& context, const plan::OperandPlan& operand,
         const std::vector<mlir::Value>& buffers);

  /// Loads the scales of the tile from `tile_k` (i32) on: i32 of four scales each, at number atom *
  /// k_atoms + k_atom. `k_left` is the k that the matrix has left; absent: at least a tile's.
  /// Scales beyond the matrix are not NaN.
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
