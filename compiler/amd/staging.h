// A tile of A or B from global memory into registers, and from there into LDS.
//
// The two halves are apart so that the next tile can be on its way while the matrix instructions
// work on the present one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/amd/read_matrix.h"
#include "compiler/kernel/index_code.h"

namespace heddle::compiler {

/// Beyond the matrix's last row in memory every offset lies outside the buffer, and hardware checks
/// that: only offsets that come back in need a comparison, by wrapping around, or because rows
/// overlap or jump. Whether that may be so beyond `size` of `axis`, when the matrix has
/// `other_size` of the other one. Beyond the end of a row in memory the next row follows: there the
/// kernel has to compare.
bool comes_back(const KernelContext& context, const plan::GlobalTile& tile, const AxisExtent& axis,
                const Extent& size, const AxisExtent& other, const Extent& other_size);

class Staging {
 public:
  /// `extras` are the further matrices of the operand's producer; `start` is the first LDS byte of
  /// its tile.
  Staging(const KernelContext& context, const plan::OperandPlan& operand, mlir::Value buffer,
          const std::vector<mlir::Value>& extras, std::uint32_t start);

  /// What the k loop carries, for the tile at k = 0: i32. Either how many bytes the tile is along
  /// k, the same for all lanes, beside offsets of rows that never change; or byte offsets from
  /// which a thread reaches all its elements of the tile by adding what is the same for all lanes.
  /// Were those invariant, every sum with a constant would be too, and LLVM would keep each in a
  /// register of its own instead of in the instruction. Where k jumps or is padded, they are the
  /// offsets of the rows alone. There, and where a producer reads further matrices, the last is the
  /// tile's k.
  const std::vector<mlir::Value>& first() const { return first_; }
  /// The same for the tile whose first k is `k` (i32), counted from the first of the workgroup's
  /// part.
  std::vector<mlir::Value> at(mlir::Value k) const;
  /// The same for the tile after the one at `offsets`.
  std::vector<mlir::Value> next(const std::vector<mlir::Value>& offsets) const;
  /// Bytes from tile to tile, where they are known and all that the loop carries.
  std::optional<std::int64_t> counted_bytes() const;

  /// Whether the first of its offsets counts bytes, as a scalar.
  bool counts_bytes() const { return counts_bytes_; }

  /// Whether each access of load() stands for itself.
  bool has_single_loads() const { return extras_.empty() && padding_.empty(); }
  std::size_t loads() const { return accesses_.size(); }
  /// Access `number` of load(), where these stand for themselves.
  mlir::Value load_one(const std::vector<mlir::Value>& offsets, std::size_t number,
                       const std::optional<Extent>& k_left) const;

  /// Loads the thread's part of the tile at `offsets`, which has `k_left` columns of A (rows of B)
  /// left in the matrix; at least those of a tile where it is absent. Elements outside the matrix
  /// are zero. Behind them is what the producer reads beside each.
  std::vector<mlir::Value> load(const std::vector<mlir::Value>& offsets,
                                const std::optional<Extent>& k_left) const;

  /// Registers of the stores to the first tile in LDS: i32, bytes.
  const std::vector<mlir::Value>& lds_bases() const { return lds_bases_; }

  /// Stores what `load` returned; `bases` are lds_bases, of the tile that is meant. On the way
  /// elements become what is multiplied: those outside the matrix zero, and of an f32 that is
  /// multiplied as two bf16 each part in a tile of its own.
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

  // A further matrix that the producer reads. Its columns are along what is contiguous in A or B.
  struct Extra {
    MatrixRecord matrix;
    mlir::Value buffer;
    int width;  // elements of a load
    int loads;  // for an access
  };

  // An element among the accesses: which of them has it, and behind how many.
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
  // Whether a thread's k of a row take several accesses.
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
