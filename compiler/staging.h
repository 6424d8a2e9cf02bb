// A tile of A or B from global memory into registers, and from there into LDS.
//
// The two halves are apart so that the next tile can be on its way while the matrix instructions
// work on the present one.
#pragma once

#include <vector>

#include "compiler/index_code.h"
#include "compiler/kernel_context.h"

namespace heddle::compiler {

class Staging {
 public:
  /// `buffer` is the matrix; `start` the first LDS byte of the operand's tile.
  Staging(const KernelContext& context, const plan::OperandPlan& operand, mlir::Value buffer,
          std::uint32_t start);

  /// Loads the thread's part of the tile that begins at `k` (i32, uniform). Elements outside the
  /// matrix are zero.
  std::vector<mlir::Value> load(mlir::Value k) const;

  /// Stores what `load` returned, `stage` elements (i32) further than the first tile; null for 0.
  void store(const std::vector<mlir::Value>& loaded, mlir::Value stage) const;

 private:
  // One access to global memory: its offset for k = 0, and its own position along k.
  struct Access {
    mlir::Value offset;
    std::int64_t k;
  };

  Access make_access(std::uint64_t element, std::uint64_t vector, std::uint64_t step) const;
  mlir::Value row_bound(mlir::Value offset, std::int64_t row) const;
  mlir::Value load_one(const Access& access, mlir::Value k) const;
  mlir::Value gathered(const std::vector<mlir::Value>& loaded, std::size_t step,
                       std::uint64_t vector) const;

  std::int64_t row_elements() const;  // of the matrix in memory
  std::int64_t row_limit() const;     // m or n of the problem
  bool rows_need_check() const;
  bool k_needs_check() const;

  const KernelContext& context_;
  const plan::OperandPlan& operand_;
  mlir::Value buffer_;
  mlir::Value row_, k_;  // i32: the thread's place in the matrix, for k = 0
  SharedAddresses addresses_;
  int access_;                    // elements of one access
  std::vector<Access> accesses_;  // of all steps
};

}  // namespace heddle::compiler
