// Copies tiles of A or B from global to shared memory. Elements outside the matrix become zeros.
// The copies are cp.async, as wide as the alignment of rows allows. If there are operations on the
// elements, or rows are not aligned, the elements are loaded into registers and stored instead.
#pragma once

#include <optional>

#include "compiler/kernel/index_code.h"
#include "compiler/nvidia/mma_context.h"

namespace heddle::compiler {

class TileCopies {
 public:
  /// Prepares the copies that the tile `tile` of D needs. If this tile is not valid
  /// (BlockTile::valid), only zeros are copied. `start` is where the operand's tile begins in each
  /// stage, in bytes.
  TileCopies(const MmaContext& context, const plan::MmaOperandPlan& operand,
             const GlobalMatrices& matrices, const BlockTile& tile, std::uint32_t start);

  /// The position of tile number `number` along k, as copy() takes it. Usually it is a pointer to
  /// the thread's first element in this tile (!llvm.ptr<1>). If the axis along k has jumps, if the
  /// matrix is padded, or if a producer reads further matrices, it is the first k of the tile
  /// (i32).
  mlir::Value first(std::int64_t number = 0) const;
  /// The position of the tile after the one at `tile`.
  mlir::Value next(mlir::Value tile) const;

  /// The number of copies that one thread makes for a tile.
  std::size_t count() const { return steps_.size(); }
  /// Starts the copies number `from` to `to` (exclusive) of the tile whose position is `tile`.
  /// `stage` (i32) is where the stage begins, in bytes from the first stage. `k_left` is the number
  /// of k (columns of A, rows of B) from the tile's first k to the end of the matrix; absent: at
  /// least as many as a tile has.
  void copy(std::size_t from, std::size_t to, mlir::Value tile, mlir::Value stage,
            const std::optional<Extent>& k_left) const;

 private:
  struct Step {
    std::int64_t row, k;    // from the thread's first
    Extent bytes;           // in global memory, where they do not depend on the tile
    mlir::Value row_valid;  // i1; null: always
  };
  /// One copy: `step` says which elements of the thread, `tile` in which tile; `source` and
  /// `target` are the addresses in global and shared memory.
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
