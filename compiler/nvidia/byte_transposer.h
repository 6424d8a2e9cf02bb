// V^T of 8-bit floats in shared memory. wgmma reads a factor B of bytes only along k, which is
// along the keys, and V lies along its columns.
//
//   ldmatrix.trans   8 keys by 16 bytes: a lane has 2 columns of keys 2t and 2t + 1, t = lane % 4
//   prmt             of 8 keys and the 8 after them: a word of 4 keys for each of the 2 columns
//   stmatrix         16 bytes of keys a row of V^T
//
// A line of V^T so has its keys in the order of plan::key_of_byte, as the lanes have the scores.
// Both sides have the swizzle of 128 bytes, and no two rows of a matrix are in the same bank.
#pragma once

#include <vector>

#include "compiler/nvidia/warpgroup_context.h"

namespace heddle::compiler {

class ByteTransposer {
 public:
  /// Warps of the producer's warpgroup that transpose: all but the first.
  static constexpr int warps = plan::warps_of_warpgroup - 1;

  /// V of `copied` becomes V^T of `values`: block_k keys and block_n columns. For those warps.
  ByteTransposer(const WarpgroupContext& context, const plan::WarpgroupPlan& copied,
                 const plan::WarpgroupPlan& values);

  /// The stage at `from` (i32) to the stage at `to`, by all of these warps together.
  void transpose(mlir::Value from, mlir::Value to) const;

 private:
  void columns(mlir::Value from, mlir::Value to, mlir::Value number) const;
  mlir::Value loaded(mlir::Value address) const;
  void store(mlir::Value address, mlir::Value words) const;

  const WarpgroupContext& context_;
  const plan::WarpgroupPlan &copied_, &values_;
  mlir::Value number_;  // i32: of the warp among them
  mlir::Value load_row_, load_part_, first_, second_;
  std::vector<mlir::Value> store_rows_;
};

}  // namespace heddle::compiler
