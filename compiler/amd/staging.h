// A tile of A or B from global memory into registers, and from there into LDS.
//
// The two halves are separate, so that the next tile can be loaded while the matrix instructions
// work on the present one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/amd/read_matrix.h"
#include "compiler/kernel/index_code.h"

namespace heddle::compiler {

/// True if an offset beyond `size` of `axis` may come back into the buffer, by wrapping around, or
/// because rows overlap or jump; the matrix has `other_size` of the other axis. Elsewhere hardware
/// checks the bounds: beyond the last row in memory every offset lies outside the buffer. Beyond
/// the end of a row the next row follows, so there the kernel has to compare.
bool comes_back(const KernelContext& context, const plan::GlobalTile& tile, const AxisExtent& axis,
                const Extent& size, const AxisExtent& other, const Extent& other_size);

class Staging {
 public:
  /// `extras` are the further matrices of the operand's producer; `start` is the first LDS byte of
  /// its tile.
  Staging(const KernelContext& context, const plan::OperandPlan& operand, mlir::Value buffer,
          const std::vector<mlir::Value>& extras, std::uint32_t start);

  /// The values that the k loop carries, for the tile at k = 0 (i32). There are two forms. One is
  /// the bytes to the tile along k, the same for all lanes, together with offsets of rows that
  /// never change. The other is byte offsets from which a thread reaches all its elements of the
  /// tile by adding values that are the same for all lanes. If those were invariant, every sum with
  /// a constant would be too, and LLVM would keep each in a register instead of in the instruction.
  /// If k jumps or is padded, they are only the offsets of the rows. In that case, and if a
  /// producer reads further matrices, the last value is the tile's k.
  const std::vector<mlir::Value>& first() const { return first_; }
  /// The same for the tile whose first k is `k` (i32), counted from the first of the workgroup's
  /// part.
  std::vector<mlir::Value> at(mlir::Value k) const;
  /// The same for the tile after the one at `offsets`.
  std::vector<mlir::Value> next(const std::vector<mlir::Value>& offsets) const;
  /// The bytes from tile to tile, if they are known and the loop carries nothing else.
  std::optional<std::int64_t> counted_bytes() const;

  /// True if the first of its offsets counts bytes, as a scalar.
  bool counts_bytes() const { return counts_bytes_; }

  /// True if each access of load() can be made alone.
  bool has_single_loads() const { return extras_.empty() && padding_.empty(); }
  std::size_t loads() const { return accesses_.size(); }
  /// Access `number` of load(), if each can be made alone.
  mlir::Value load_one(const std::vector<mlir::Value>& offsets, std::size_t number,
                       const std::optional<Extent>& k_left) const;

  /// Loads the thread's part of the tile at `offsets`. `k_left` is the number of columns of A (rows
  /// of B) left in the matrix; absent: at least a tile's. Elements outside the matrix are zero. The
  /// further inputs of the producer follow.
  std::vector<mlir::Value> load(const std::vector<mlir::Value>& offsets,
                                const std::optional<Extent>& k_left) const;

  /// Registers for the stores to the first tile in LDS: i32, bytes.
  const std::vector<mlir::Value>& lds_bases() const { return lds_bases_; }

  /// Stores what `load` returned; `bases` are lds_bases of the tile to write. On the way the
  /// producer is applied, and elements outside the matrix become zero. An f32 that is multiplied as
  /// two bf16 is split, and each part goes to a separate tile.
  void store(const std::vector<mlir::Value>& loaded, const TileBases& bases,
             const std::optional<Extent>& k_left) const;
  std::size_t stores() const;
  /// The store `number` of store().
  void store_one(const std::vector<mlir::Value>& loaded, const TileBases& bases,
                 const std::optional<Extent>& k_left, std::size_t number) const;

 private:
  // One access to global memory, relative to the thread's first element.
  struct Access {
    std::size_t base;       // which of the offsets
    std::int64_t constant;  // bytes to add
    Extent scalar;          // more of them
    std::int64_t row;       // position along m or n
    std::int64_t k;         // position along k
  };

  // A further matrix that the producer reads. Its columns run along the contiguous dimension of A
  // or B.
  struct Extra {
    MatrixRecord matrix;
    mlir::Value buffer;
    int width;  // elements of a load
    int loads;  // for an access
  };

  // An element among the accesses: the access that has it, and its position there.
  struct InAccess {
    std::size_t access;
    std::int64_t inside;
  };

  void add_access(const layout::Coordinates& place);
  void add_extra(const MatrixRecord& matrix, mlir::Value buffer);
  void load_extras(mlir::Value tile_k, std::vector<mlir::Value>& loaded) const;
  InAccess in_access(std::uint64_t step, std::uint64_t vector, std::uint64_t k) const;
  std::vector<std::vector<mlir::Value>> beside(const std::vector<mlir::Value>& loaded,
                                               std::uint64_t step, std::uint64_t vector) const;
  bool gathers_bytes() const;
  mlir::Value gathered_bytes(const std::vector<mlir::Value>& loaded, std::uint64_t step,
                             std::uint64_t vector) const;
  std::vector<mlir::Value> gathered(const std::vector<mlir::Value>& loaded, std::uint64_t step,
                                    std::uint64_t vector) const;
  std::vector<mlir::Value> produced(const std::vector<mlir::Value>& elements,
                                    const std::vector<std::vector<mlir::Value>>& beside,
                                    std::int64_t k, const std::optional<Extent>& k_left) const;
  mlir::Value rounded(mlir::Value bits) const;
  void store_parts(const std::vector<mlir::Value>& elements, mlir::Value base,
                   std::int64_t constant) const;

  std::string name(const char* what) const;  // a_what or b_what, for printing
  bool is_a() const { return operand_.tile.row == "m"; }
  const MatrixRecord& matrix() const { return is_a() ? context_.request.a : context_.request.b; }
  const Expression& producer() const;
  const Extent& row_limit() const;  // m or n of the problem
  bool rows_are_whole() const;
  bool comes_back() const;
  bool needs_row_bases(const layout::LinearLayout& map) const;
  // True if a thread's k of a row take several accesses.
  bool is_narrow() const { return operand_.tile.k_contiguous && access_ < operand_.patch.k; }
  mlir::Value row_offset(std::int64_t row) const;
  mlir::Value is_stored(const std::vector<mlir::Value>& offsets, const Access& access) const;
  bool counts_k() const { return !k_axis_.is_linear() || !padding_.empty(); }
  bool carries_k() const { return counts_k() || !extras_.empty(); }
  mlir::Value in_bytes(mlir::Value elements) const;
  mlir::Value along_k(const std::vector<mlir::Value>& offsets, std::int64_t k) const;
  bool rows_need_check() const;
  bool is_whole(const std::optional<Extent>& k_left) const;
  bool k_needs_check(const std::optional<Extent>& k_left) const;
  std::int64_t k_unit() const;
  mlir::Value is_before_end(std::int64_t k, const Extent& k_left) const;

  const KernelContext& context_;
  const plan::OperandPlan& operand_;
  mlir::Value buffer_;
  std::vector<Extra> extras_;
  std::size_t loads_of_extras_ = 0;  // for an access, of all
  AxisExtent row_axis_, k_axis_;
  std::vector<PaddingExtent> padding_;
  bool k_in_tile_;       // no jump along k lies inside a tile
  mlir::Value row_, k_;  // i32: the thread's place in the matrix, for k = 0
  mlir::Value thread_;   // i32: its byte offset
  SharedAddresses addresses_;
  int access_;                    // elements of one access
  std::vector<Access> accesses_;  // of all steps
  std::vector<mlir::Value> lds_bases_;
  std::vector<mlir::Value> first_;
  std::vector<mlir::Value> row_offsets_;  // where those never change
  std::vector<std::int64_t> rows_;        // the rows of offsets, where each has its own
  bool has_row_bases_ = false;
  bool counts_bytes_ = false;  // whether they are row_offsets_
};

}  // namespace heddle::compiler
