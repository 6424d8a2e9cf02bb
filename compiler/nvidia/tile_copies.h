// Copies a tile of A or B from global to shared memory, with zeros for elements outside the matrix.
// cp.async copies as many bytes as rows are aligned to. If elements are operated on, or rows are
// not aligned, they go through registers.
#pragma once

#include <optional>

#include "compiler/kernel/index_code.h"
#include "compiler/nvidia/mma_context.h"

namespace heddle::compiler {

class TileCopies {
 public:
  /// Copies for the block's tile `tile` of D; only zeros if it is not valid. `start` is the first
  /// byte of the operand's tile in a stage.
  TileCopies(const MmaContext& context, const plan::MmaOperandPlan& operand,
             const GlobalMatrices& matrices, const BlockTile& tile, std::uint32_t start);

  /// The position of tile `number` along k: the thread's first element (!llvm.ptr<1>). If k jumps
  /// or is padded, or further matrices are read, it is the tile's first k (i32).
  mlir::Value first(std::int64_t number = 0) const;
  /// The position of the tile after the one at `tile`.
  mlir::Value next(mlir::Value tile) const;

  /// The number of copies that one thread makes for a tile.
  std::size_t count() const { return steps_.size(); }
  /// Begins the copies [from, to) of the tile at `tile`. `stage` is the offset of the stage from
  /// the first, in bytes (i32). `k_left` is the number of columns of A (rows of B) that the matrix
  /// has left; absent: at least the tile's.
  void copy(std::size_t from, std::size_t to, mlir::Value tile, mlir::Value stage,
            const std::optional<Extent>& k_left) const;

 private:
  struct Step {
    std::int64_t row, k;    // from the thread's first
    Extent bytes;           // in global memory, where they do not depend on the tile
    mlir::Value row_valid;  // i1; null: always
  };
  /// One copy: its source, its target, and the part of the matrix.
  struct Copy {
    const Step& step;
    mlir::Value tile, source, target;
    const std::optional<Extent>& k_left;
  };

  bool counts_k() const {
    return !k_axis_.is_linear() || !matrix_.padding.empty() || !extras_.empty();
  }
  mlir::Value row_valid(std::int64_t ahead) const;
  mlir::Value alignment() const;
  mlir::Value in_memory(const Copy& copy, std::int64_t ahead) const;
  mlir::Value inside(const Copy& copy, std::int64_t ahead) const;
  mlir::Value source(mlir::Value tile, const Step& step, std::int64_t ahead) const;
  void copy_all(std::size_t from, std::size_t to, mlir::Value tile, mlir::Value stage,
                const std::optional<Extent>& k_left, int access) const;
  void copy_directly(const Copy& copy) const;
  void copy_by_registers(const Copy& copy, int access) const;
  std::vector<std::vector<mlir::Value>> further(const Copy& copy, std::int64_t ahead, int count,
                                                mlir::Value valid) const;
  std::vector<mlir::Value> produced(mlir::Value loaded, int count,
                                    const std::vector<std::vector<mlir::Value>>& further,
                                    mlir::Value valid, mlir::Value in_memory) const;

  const MmaContext& context_;
  const plan::MmaOperandPlan& operand_;
  const GlobalMatrix& matrix_;
  std::vector<GlobalMatrix> extras_;  // columns are along what is contiguous in the matrix
  const Expression& producer_;
  const bool tells_padding_;
  AxisExtent row_axis_, k_axis_;  // in global memory, in bytes; i64
  bool k_in_tile_;                // no jump along k lies inside a tile
  Extent row_limit_;
  mlir::Value row_, k_;  // i32: the thread's first place in the matrix
  mlir::Value first_;
  mlir::Value valid_;    // i1: whether there is such a tile of D; null: yes
  mlir::Value aligned_;  // i1: whether rows are aligned to whole accesses; null: they are
  SharedAddresses addresses_;
  std::uint32_t start_;
  std::vector<Step> steps_;
};

}  // namespace heddle::compiler
