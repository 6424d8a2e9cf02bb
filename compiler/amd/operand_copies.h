// A tile of A or B on its way to LDS while tiles before it are multiplied: straight, or through
// registers, as the plan says of the operand.
#pragma once

#include <optional>
#include <vector>

#include "compiler/amd/direct_copies.h"
#include "compiler/amd/staging.h"

namespace heddle::compiler {

class OperandCopies {
 public:
  /// `from` is the matrix, as DirectCopies or Staging take it, `extras` the further matrices that
  /// the operand's producer reads, and `start` the first element of LDS that its tiles have.
  OperandCopies(const KernelContext& context, const plan::OperandPlan& operand, mlir::Value from,
                const std::vector<mlir::Value>& extras, std::uint32_t start);

  /// Begins to load what passes registers of the tile whose first k is `k` (i32), counted from the
  /// first of the workgroup's part. The matrix has `k_left` columns of A (rows of B) from there on,
  /// at least those of a tile where it is absent. Nothing where no registers are on the way.
  std::vector<mlir::Value> load(mlir::Value k, const std::optional<Extent>& k_left) const;
  /// Begins to copy the tile straight to LDS, `stage` bytes (i32) further than the first tile; null
  /// for 0. Does nothing where registers are on the way.
  void copy(mlir::Value k, mlir::Value stage, const std::optional<Extent>& k_left) const;
  /// Stores what `load` returned, at the same place.
  void store(const std::vector<mlir::Value>& loaded, mlir::Value stage,
             const std::optional<Extent>& k_left) const;

  /// Copies of a wave for one tile that it has to wait for by their number.
  CopyCount count() const { return direct_ ? direct_->count() : CopyCount(); }

 private:
  const KernelContext& context_;
  std::optional<DirectCopies> direct_;
  std::optional<Staging> staging_;  // where there is no `direct_`
};

}  // namespace heddle::compiler
