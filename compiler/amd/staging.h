// Brings a tile of A or B from global memory into registers (load), and from registers into LDS
// (store). Load and store are separate, so that the next tile can be loaded while the matrix
// instructions work on the present tile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/amd/read_matrix.h"
#include "compiler/kernel/index_code.h"

namespace heddle::compiler {

/// True if the offset of an index beyond the `size` of `axis` may lie inside the buffer: because
/// offsets wrap around, or because rows overlap or jump. `other` and `other_size` are the other
/// axis of the matrix. If the result is false, the bounds check of the hardware suffices beyond the
/// last row, where every offset lies outside the buffer. It never suffices beyond the end of a row,
/// where the next row follows; the kernel has to compare there.
bool comes_back(const KernelContext& context, const plan::GlobalTile& tile, const AxisExtent& axis,
                const Extent& size, const AxisExtent& other, const Extent& other_size);

class Staging {
 public:
  /// `extras` are the further matrices that the operand's producer reads. `start` is the position
  /// in LDS, in elements, at which the operand's first tile begins.
  Staging(const KernelContext& context, const plan::OperandPlan& operand, mlir::Value buffer,
          const std::vector<mlir::Value>& extras, std::uint32_t start);

  /// The values (i32) from which load() computes offsets, for the first tile. The k loop carries
  /// them from tile to tile. There are two cases:
  /// - counts_bytes(): one value, the bytes along k from the first tile to the present one, the
  /// same in all lanes. The offsets of rows never change.
  /// - Otherwise: byte offsets of the thread in the present tile; all its elements are reached from
  /// them by adding values that are the same in all lanes. (If these offsets did not change in the
  /// loop, their sums with constants would not change either, and LLVM would keep each sum in a
  /// register instead of the constant in the instruction.)
  ///
  /// If k jumps or is padded, the offsets are those of the rows alone. In that case, and if a
  /// producer reads further matrices, there is one more value: the first k of the present tile.
  const std::vector<mlir::Value>& first() const { return first_; }
  /// The values that first() describes, for the tile whose first k is `k` (i32), counted from the
  /// first k of the workgroup's part.
  std::vector<mlir::Value> at(mlir::Value k) const;
  /// The values for the tile after the one at `offsets`.
  std::vector<mlir::Value> next(const std::vector<mlir::Value>& offsets) const;
  /// The bytes from one tile to the next along k. Null if they are not known at compile time, or if
  /// the loop carries other values than this distance.
  std::optional<std::int64_t> counted_bytes() const;

  /// True if the first value of first() is a distance in bytes, in a scalar register (see there).
  bool counts_bytes() const { return counts_bytes_; }

  /// True if the loads of load() can also be made one by one, with load_one().
  bool has_single_loads() const { return extras_.empty() && padding_.empty(); }
  std::size_t loads() const { return accesses_.size(); }
  /// Makes access `number` of load() alone. Precondition: has_single_loads().
  mlir::Value load_one(const std::vector<mlir::Value>& offsets, std::size_t number,
                       const std::optional<Extent>& k_left) const;

  /// Loads the thread's elements of the tile to which `offsets` belong. `k_left` is the number of k
  /// (columns of A, rows of B) from the tile's first k to the end of the workgroup's part of k;
  /// absent: at least as many as a tile has. Elements outside the matrix are loaded as zero. The
  /// result has the values of all accesses, then those of the further matrices that the producer
  /// reads.
  std::vector<mlir::Value> load(const std::vector<mlir::Value>& offsets,
                                const std::optional<Extent>& k_left) const;

  /// The registers (i32, bytes) with the addresses from which the stores to the first tile in LDS
  /// count.
  const std::vector<mlir::Value>& lds_bases() const { return lds_bases_; }

  /// Stores to LDS what `load` returned. `bases` are the lds_bases, moved to the tile that is
  /// written. Before, the producer is applied, and elements outside the matrix become zero. If an
  /// f32 is multiplied as two bf16, it is split here, and each of the two goes to a separate tile.
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

  // A further matrix that the producer reads. It is transposed if necessary, so that its columns
  // run along the dimension in which A or B is contiguous.
  struct Extra {
    MatrixRecord matrix;
    mlir::Value buffer;
    int width;  // elements of a load
    int loads;  // for an access
  };

  // Where a loaded element is: the number of the access that loads it, and the element's position
  // in what that access loads.
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
  // True if a thread needs several accesses for its k of one row.
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
