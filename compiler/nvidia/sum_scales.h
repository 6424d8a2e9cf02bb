// The scales of 8-bit floats in blocks along k (request/block_scales.h). One warp copies tiles; the
// warp next to it copies the scales of a tile's rows and columns into the same stage. Each consumer
// multiplies the sums of a step by them. (When the consumers loaded the scales themselves, that
// took a fifth of the whole time: wgmma waits for earlier loads.)
#pragma once

#include <optional>
#include <vector>

#include "compiler/decisions/block_scales.h"
#include "compiler/nvidia/stage_ring.h"
#include "heddle/layout/linear_layout.h"

namespace heddle::compiler {

class SumScales {
 public:
  /// `a` and `b` are the arguments with the matrices of scales; null if there is none.
  SumScales(const WarpgroupContext& context, const ScaledSums& scales, mlir::Value a,
            mlir::Value b);

  /// The number of arrivals at a stage's barrier that one copy() makes.
  int arrivals() const;
  /// For a whole warp of the block: starts the copies of the scales of a tile's k step (i32) into a
  /// stage. Beyond the last row or column, the last scale is copied.
  void copy(const BlockTile& tile, mlir::Value step, const StageRing& ring,
            const std::vector<mlir::Value>& position) const;

  /// For a consumer: the factor of the sum in each of its registers, in a step whose stage is full.
  std::vector<mlir::Value> factors(const std::vector<mlir::Value>& position) const;

 private:
  /// i32: the byte in shared memory where a stage's scales begin; A's rows come first, then
  /// columns.
  mlir::Value place(const std::vector<mlir::Value>& position) const;
  GlobalMatrix matrix_of_a(mlir::Value batch) const;
  GlobalMatrix matrix_of_b(mlir::Value batch) const;
  mlir::Value inside(mlir::Value number, plan::Loop loop) const;
  void copy_by_bulk(const BlockTile& tile, mlir::Value step, const StageRing& ring,
                    const std::vector<mlir::Value>& position) const;
  void copy_by_lanes(const BlockTile& tile, mlir::Value step, const StageRing& ring,
                     const std::vector<mlir::Value>& position) const;
  void copy_one(const GlobalMatrix& matrix, const MatrixPlace& from, mlir::Value to) const;
  /// The scale at `byte` of the stage, or the constant scale if there is no matrix of scales.
  mlir::Value scale(const Expression& scale, mlir::Value argument, mlir::Value byte) const;

  const WarpgroupContext& context_;
  const ScaledSums& scales_;
  mlir::Value a_, b_;
  layout::LinearLayout fragment_;  // of D in one instruction
};

}  // namespace heddle::compiler
