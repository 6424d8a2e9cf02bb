// A tile of A or B on its way from global to shared memory: cp.async, as wide as rows are aligned,
// with zeros for what lies outside the matrix; loads and stores where rows are not aligned at all.
#pragma once

#include <optional>

#include "compiler/kernel/index_code.h"
#include "compiler/nvidia/mma_context.h"

namespace heddle::compiler {

class TileCopies {
 public:
  /// Copies for the block's tile `tile` of D; nothing but zeros where it is not valid. `start` is
  /// the first byte of the operand's tile in a stage.
  TileCopies(const MmaContext& context, const plan::MmaOperandPlan& operand,
             const GlobalMatrix& matrix, const BlockTile& tile, std::uint32_t start);

  /// Where a thread's first element of tile `number` along k is (!llvm.ptr<1>).
  mlir::Value first(std::int64_t number = 0) const;
  /// The same in the tile after the one at `pointer`.
  mlir::Value next(mlir::Value pointer) const;

  /// Copies of one thread for a tile.
  std::size_t count() const { return steps_.size(); }
  /// Begins the copies [from, to) of the tile at `pointer` into the stage `stage` bytes (i32)
  /// further than the first. `k_left`: columns of A (rows of B) that the matrix has left, when they
  /// may be fewer than the tile's.
  void copy(std::size_t from, std::size_t to, mlir::Value pointer, mlir::Value stage,
            std::optional<std::int64_t> k_left) const;

 private:
  struct Step {
    std::int64_t row, k;    // beside the thread's first
    std::int64_t bytes;     // in global memory
    mlir::Value row_valid;  // i1; null: always
  };

  mlir::Value bytes_valid(const Step& step, std::optional<std::int64_t> k_left) const;
  void copy_by_registers(mlir::Value from, mlir::Value to, mlir::Value valid) const;

  const MmaContext& context_;
  const plan::MmaOperandPlan& operand_;
  const GlobalMatrix& matrix_;
  std::int64_t row_stride_, k_stride_, row_limit_;
  mlir::Value row_, k_;  // i32: the thread's first place in the matrix
  mlir::Value first_;
  mlir::Value valid_;
  SharedAddresses addresses_;
  std::uint32_t start_;
  std::vector<Step> steps_;
};

}  // namespace heddle::compiler
