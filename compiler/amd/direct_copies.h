// Copies a tile of A or B from global memory straight to LDS, without registers in between, if the
// plan says so (plan::OperandPlan::copies). There are two ways:
// - In pieces: with one instruction each lane copies one piece, and the pieces of a wave are
// contiguous in LDS. So the layout in LDS determines which elements a lane has to load. The lane
// loads them through the matrix's buffer descriptor, or asynchronously from a pointer.
// - By a tile descriptor: one instruction copies all rows of the tile for which the wave is
// responsible. The descriptor also says where the matrix ends.
#pragma once

#include <optional>
#include <vector>

#include "compiler/amd/kernel_context.h"
#include "compiler/kernel/index_code.h"

namespace heddle::compiler {

class DirectCopies {
 public:
  /// True if `from` of the constructor must be a pointer to the operand's first element; false if
  /// it must be the operand's buffer descriptor.
  static bool takes_pointer(const plan::MatmulPlan& plan, const plan::OperandPlan& operand);

  /// `from` is the matrix in global memory: its buffer descriptor, or the pointer to its first
  /// element. `start` is the position in LDS, in elements, at which the operand's first tile
  /// begins.
  DirectCopies(const KernelContext& context, const plan::OperandPlan& operand, mlir::Value from,
               std::uint32_t start);

  /// Begins to copy the tile whose first k is `k` (i32), counted from the first k of the
  /// workgroup's part. `k_left` is the number of k (columns of A, rows of B) from there to the end
  /// of that part; absent: at least as many as a tile has. The tile is written to LDS `stage` bytes
  /// (i32; null: 0) behind the operand's first tile. Elements outside the matrix become zero.
  void copy(mlir::Value k, mlir::Value stage, const std::optional<Extent>& k_left) const;

  /// The number of instructions of a wave for one tile.
  CopyCount count() const {
    return tile_ ? CopyCount{.tiles = 1} : CopyCount{.pieces = static_cast<int>(pieces_.size())};
  }

 private:
  // The piece that a lane copies with one instruction.
  struct Piece {
    mlir::Value offset;  // i32: bytes from the matrix's first element, at the tile's k = 0; where
                         // places jump along k, at the k of row 0
    mlir::Value row;     // i32: of its first element in the matrix, of asynchronous loads inside it
    mlir::Value k;       // i32: the place of its first element along k in the tile
    mlir::Value to;      // i32: the byte of LDS where the wave's pieces begin, one of the wave; of
                         // asynchronous loads the lane's own
  };

  bool is_a() const { return operand_.tile.row == "m"; }
  const Extent& rows() const;  // m or n of the problem
  mlir::Value block() const { return is_a() ? context_.block_m : context_.block_n; }
  // The number of elements from index `from` (i32) to the end of a dimension of `all` elements, but
  // at most `most`.
  Extent left(const Extent& all, mlir::Value from, std::int64_t most) const;
  void divide_into_pieces(std::uint32_t start);
  bool is_async() const;
  bool rows_are_whole() const {
    return rows().is_known() && rows().known % operand_.tile.rows == 0;
  }
  // i1: true if the lane's piece of the tile whose first k is `k` (i32) is before the end of k and
  // not in padding. Null: the kernel need not compare.
  mlir::Value is_there(const Piece& piece, mlir::Value k,
                       const std::optional<Extent>& k_left) const;
  // The bytes (i32) to add to piece.offset to get the same piece of the tile whose first k is `k`.
  mlir::Value along_k(const Piece& piece, mlir::Value k) const;
  void copy_lane(const Piece& piece, mlir::Value k, mlir::Value stage,
                 const std::optional<Extent>& k_left) const;
  void describe_tile(std::uint32_t start);
  void copy_tile(mlir::Value k, mlir::Value stage, const std::optional<Extent>& k_left) const;
  bool is_whole(const std::optional<Extent>& k_left) const {
    return !k_left || (k_left->is_known() && k_left->known >= operand_.tile.k);
  }

  const KernelContext& context_;
  const plan::OperandPlan& operand_;
  mlir::Value from_;
  AxisExtent row_axis_, k_axis_;
  std::vector<PaddingExtent> padding_;
  mlir::Value zeros_;          // what asynchronous loads copy where the matrix has nothing
  mlir::Value warp_;           // i32, a scalar
  bool k_needs_check_ = true;  // beyond the last column of A (row of B)
  std::vector<Piece> pieces_;
  std::optional<TileDescriptor> tile_;  // the wave's part of the first tile along k
  mlir::Value first_k_;                 // i32: where along k in the tile that begins
};

}  // namespace heddle::compiler
