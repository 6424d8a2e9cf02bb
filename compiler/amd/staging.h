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

  /// Byte offsets (i32) from which a thread reaches all its elements of the tile at k = 0 by adding
  /// constants. The k loop carries them: were they invariant, every sum with a constant would be
  /// too, and LLVM would keep each in a register of its own instead of in the instruction. Where k
  /// jumps or is padded, they are the offsets of the rows alone. There, and where a producer reads
  /// further matrices, the last is the tile's k.
  const std::vector<mlir::Value>& first() const { return first_; }
  /// The same for the tile after the one at `offsets`.
  std::vector<mlir::Value> next(const std::vector<mlir::Value>& offsets) const;

  /// Loads the thread's part of the tile at `offsets`, which has `k_left` columns of A (rows of B)
  /// left in the matrix; at least those of a tile where it is absent. Elements outside the matrix
  /// are zero. Behind them is what the producer reads beside each.
  std::vector<mlir::Value> load(const std::vector<mlir::Value>& offsets,
                                const std::optional<Extent>& k_left) const;

  /// Stores what `load` returned, `stage` elements (i32) further than the first tile; null for 0.
  /// On the way elements become what is multiplied: those outside the matrix zero, and of an f32
  /// that is multiplied as two bf16 each part in a tile of its own.
  void store(const std::vector<mlir::Value>& loaded, mlir::Value stage,
             const std::optional<Extent>& k_left) const;

 private:
  // One access to global memory, relative to the thread's first element.
  struct Access {
    std::size_t base;  // which of the offsets
    Extent constant;   // bytes to add
    std::int64_t row;  // position along m or n
    std::int64_t k;    // position along k
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
  std::vector<mlir::Value> gathered(const std::vector<mlir::Value>& loaded, std::uint64_t step,
                                    std::uint64_t vector) const;
  std::vector<mlir::Value> produced(const std::vector<mlir::Value>& elements,
                                    const std::vector<std::vector<mlir::Value>>& beside,
                                    std::int64_t k, const std::optional<Extent>& k_left) const;
  void store_parts(const std::vector<mlir::Value>& elements, mlir::Value base,
                   std::int64_t constant) const;

  std::string name(const char* what) const;  // a_what or b_what, for printing
  bool is_a() const { return operand_.tile.row == "m"; }
  const MatrixRecord& matrix() const { return is_a() ? context_.request.a : context_.request.b; }
  const Expression& producer() const;
  const Extent& row_limit() const;  // m or n of the problem
  bool comes_back(plan::Loop loop) const;
  bool counts_k() const { return !k_axis_.is_linear() || !padding_.empty(); }
  bool carries_k() const { return counts_k() || !extras_.empty(); }
  mlir::Value in_bytes(mlir::Value elements) const;
  mlir::Value along_k(const std::vector<mlir::Value>& offsets, std::int64_t k) const;
  bool rows_need_check() const;
  bool is_whole(const std::optional<Extent>& k_left) const;
  bool k_needs_check(const std::optional<Extent>& k_left) const;

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
  int access_;                         // elements of one access
  std::vector<Access> accesses_;       // of all steps
  std::vector<mlir::Value> first_;     // one, or one for each row that needs its own
  std::vector<std::int64_t> checked_;  // the rows of first_, when each has its own
};

}  // namespace heddle::compiler
