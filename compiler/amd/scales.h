// The scales of A or B, from global memory into the registers that matrix instructions read them
// from.
#pragma once

#include <optional>
#include <vector>

#include "compiler/amd/kernel_context.h"

namespace heddle::compiler {

class Scales {
 public:
  /// Of the matrices in `buffers`: one, or none where every scale is 1.
  Scales(const KernelContext& context, const plan::OperandPlan& operand,
         const std::vector<mlir::Value>& buffers);

  /// Those of the tile from `tile_k` (i32) on, which has `k_left` left in the matrix, at least
  /// those of a tile where it is absent: i32 of four scales each, number atom * k_atoms + k_atom.
  /// Beyond the matrix there is no NaN among them.
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
