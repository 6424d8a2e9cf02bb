// Brings a tile of A or B to LDS while earlier tiles are multiplied: straight, or through
// registers, as the plan says for the operand.
#pragma once

#include <optional>
#include <vector>

#include "compiler/amd/direct_copies.h"
#include "compiler/amd/staging.h"

namespace heddle::compiler {

class OperandCopies {
 public:
  /// `from` is the matrix, as DirectCopies or Staging take it. `extras` are the further matrices
  /// that the operand's producer reads. `start` is the first element in LDS of its tiles.
  OperandCopies(const KernelContext& context, const plan::OperandPlan& operand, mlir::Value from,
                const std::vector<mlir::Value>& extras, std::uint32_t start);

  /// Begins to load the part of a tile that passes registers. `k` (i32) is the tile's first k,
  /// counted from the first of the workgroup's part. `k_left` is the number of columns of A (rows
  /// of B) left there; absent: at least a tile's. Returns nothing if no registers are on the way.
  std::vector<mlir::Value> load(mlir::Value k, const std::optional<Extent>& k_left) const;
  /// Begins to copy the tile straight to LDS, `stage` bytes (i32; null: 0) behind the first tile.
  /// Does nothing if registers are on the way.
  void copy(mlir::Value k, mlir::Value stage, const std::optional<Extent>& k_left) const;
  /// Stores what `load` returned at the same place.
  void store(const std::vector<mlir::Value>& loaded, mlir::Value stage,
             const std::optional<Extent>& k_left) const;

  /// The number of copies of a wave for one tile that it waits for by counting.
  CopyCount count() const { return direct_ ? direct_->count() : CopyCount(); }

 private:
  const KernelContext& context_;
  std::optional<DirectCopies> direct_;
  std::optional<Staging> staging_;  // where there is no `direct_`
};

}  // namespace heddle::compiler
