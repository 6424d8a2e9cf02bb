// The scales of 8-bit floats in blocks along k (request/block_scales.h). A warp beside the one that
// copies tiles copies those of a tile's rows and columns into the same stage, and each consumer
// multiplies what a step adds to its sums by them. (Loads by the consumers themselves took a fifth
// of the whole time: wgmma waits for what is loaded before it.)
#pragma once

#include <optional>
#include <vector>

#include "compiler/decisions/block_scales.h"
#include "compiler/nvidia/stage_ring.h"
#include "heddle/layout/linear_layout.h"

namespace heddle::compiler {

class SumScales {
 public:
  /// `a` and `b` are the arguments with the matrices of scales, null where there is none.
  SumScales(const WarpgroupContext& context, const ScaledSums& scales, mlir::Value a,
            mlir::Value b);

  /// How many arrivals at a stage's barrier one copy() makes.
  int arrivals() const;
  /// For a whole warp of the block: starts copies of the scales of a tile's k step (i32) into a
  /// stage. Past the last row or column they are those of the last.
  void copy(const BlockTile& tile, mlir::Value step, const StageRing& ring,
            const std::vector<mlir::Value>& position) const;

  /// For a consumer: what the sum in each of its registers is multiplied by in a step whose stage
  /// is full.
  std::vector<mlir::Value> factors(const std::vector<mlir::Value>& position) const;

 private:
  /// i32: the byte in shared memory where a stage's scales begin, of A's rows and then of columns.
  mlir::Value place(const std::vector<mlir::Value>& position) const;
  GlobalMatrix matrix_of_a(mlir::Value batch) const;
  GlobalMatrix matrix_of_b(mlir::Value batch) const;
  mlir::Value inside(mlir::Value number, plan::Loop loop) const;
  void copy_by_bulk(const BlockTile& tile, mlir::Value step, const StageRing& ring,
                    const std::vector<mlir::Value>& position) const;
  void copy_by_lanes(const BlockTile& tile, mlir::Value step, const StageRing& ring,
                     const std::vector<mlir::Value>& position) const;
  void copy_one(const GlobalMatrix& matrix, const MatrixPlace& from, mlir::Value to) const;
  /// A scale of the stage at `byte`; what it is where there is no matrix.
  mlir::Value scale(const Expression& scale, mlir::Value argument, mlir::Value byte) const;

  const WarpgroupContext& context_;
  const ScaledSums& scales_;
  mlir::Value a_, b_;
  layout::LinearLayout fragment_;  // of D in one instruction
};

}  // namespace heddle::compiler
