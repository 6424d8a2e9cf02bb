// Scales for products of 8-bit floats that have a scale for each block of consecutive k
// (ScaledSums, decisions/block_scales.h). While one warp copies tiles of A and B, another warp
// copies the scales for the tile's rows and columns into the same stage. Each consumer then
// multiplies the sums of a step along k by these scales. (When the consumers loaded the scales
// themselves, that took a fifth of the whole time, because wgmma waits for earlier loads.)
#pragma once

#include <optional>
#include <vector>

#include "compiler/decisions/block_scales.h"
#include "compiler/nvidia/stage_ring.h"
#include "heddle/layout/linear_layout.h"

namespace heddle::compiler {

class SumScales {
 public:
  /// `a` and `b` are the kernel's arguments with the scales of A and of B; null: there is no such
  /// matrix. `context` and `scales` must outlive this object.
  SumScales(const WarpgroupContext& context, const ScaledSums& scales, mlir::Value a,
            mlir::Value b);

  /// How often one copy() arrives at a stage's barrier.
  int arrivals() const;
  /// To be executed by all threads of one warp: starts to copy the scales for step `step` (i32)
  /// along k of the tile to the stage at `position`. For rows or columns beyond the matrix, the
  /// scale of the last one is copied.
  void copy(const BlockTile& tile, mlir::Value step, const StageRing& ring,
            const std::vector<mlir::Value>& position) const;

  /// For a consumer: the factors by which to multiply the sums of one step along k, one for each
  /// register of sums. The stage at `position` must be full.
  std::vector<mlir::Value> factors(const std::vector<mlir::Value>& position) const;

 private:
  /// i32: the byte of shared memory at which the scales of the stage begin. The scales of A's rows
  /// come first, then those of B's columns.
  mlir::Value place(const std::vector<mlir::Value>& position) const;
  GlobalMatrix matrix_of_a(mlir::Value batch) const;
  GlobalMatrix matrix_of_b(mlir::Value batch) const;
  mlir::Value inside(mlir::Value number, plan::Loop loop) const;
  void copy_by_bulk(const BlockTile& tile, mlir::Value step, const StageRing& ring,
                    const std::vector<mlir::Value>& position) const;
  void copy_by_lanes(const BlockTile& tile, mlir::Value step, const StageRing& ring,
                     const std::vector<mlir::Value>& position) const;
  void copy_one(const GlobalMatrix& matrix, const MatrixPlace& from, mlir::Value to) const;
  /// The scale that lies at `byte` of the stage, or the constant scale if the operand has no matrix
  /// of scales.
  mlir::Value scale(const Expression& scale, mlir::Value argument, mlir::Value byte) const;

  const WarpgroupContext& context_;
  const ScaledSums& scales_;
  mlir::Value a_, b_;
  layout::LinearLayout fragment_;  // of D in one instruction
};

}  // namespace heddle::compiler
