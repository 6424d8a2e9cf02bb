// A tile of A or B from global memory straight to LDS, where the plan says so
// (plan::MatmulPlan::copied). What the lanes of a wave load lies side by side in LDS, so the layout
// there says which element a lane has to load.
#pragma once

#include <optional>
#include <vector>

#include "compiler/amd/kernel_context.h"
#include "compiler/kernel/index_code.h"

namespace heddle::compiler {

class DirectCopies {
 public:
  /// `start` is the first element of LDS that the operand's tiles have.
  DirectCopies(const KernelContext& context, const plan::OperandPlan& operand, mlir::Value buffer,
               std::uint32_t start);

  /// Begins to copy the tile whose first k is `k` (i32), of which the matrix has `k_left` columns
  /// of A (rows of B); at least those of a tile where it is absent. It comes to LDS `stage`
  /// bytes (i32) further than the first tile; null for 0. Elements outside the matrix are zero.
  void copy(mlir::Value k, mlir::Value stage, const std::optional<Extent>& k_left) const;

  /// Instructions of a wave for one tile.
  int count() const { return static_cast<int>(pieces_.size()); }

 private:
  // What a lane copies with one instruction.
  struct Piece {
    mlir::Value offset;  // i32: bytes from the matrix's first element, at the tile's k = 0
    mlir::Value k;       // i32: the place of its first element along k in the tile
    mlir::Value to;      // i32: the byte of LDS where the wave's pieces begin, one of the wave
  };

  const KernelContext& context_;
  const plan::OperandPlan& operand_;
  mlir::Value buffer_;
  AxisExtent k_axis_;
  bool k_needs_check_ = true;  // beyond the last column of A (row of B)
  std::vector<Piece> pieces_;
};

}  // namespace heddle::compiler
