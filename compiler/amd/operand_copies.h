// Brings tiles of A or B to LDS while earlier tiles are multiplied. As the operand's plan says, a
// tile is copied straight to LDS (DirectCopies), or is loaded into registers and stored to LDS
// (Staging).
#pragma once

#include <optional>
#include <vector>

#include "compiler/amd/direct_copies.h"
#include "compiler/amd/staging.h"

namespace heddle::compiler {

class OperandCopies {
 public:
  /// `from` is the matrix in the form that DirectCopies or Staging take. `extras` are the further
  /// matrices that the operand's producer reads. `start` is the position in LDS, in elements, at
  /// which the operand's first tile begins.
  OperandCopies(const KernelContext& context, const plan::OperandPlan& operand, mlir::Value from,
                const std::vector<mlir::Value>& extras, std::uint32_t start);

  /// Begins to load a tile into registers, if the operand passes through registers. If it is copied
  /// straight to LDS, does nothing and returns an empty list. `k` (i32) is the tile's first k,
  /// counted from the first k of the workgroup's part. `k_left` is the number of k (columns of A,
  /// rows of B) from there to the end of that part; absent: at least as many as a tile has.
  std::vector<mlir::Value> load(mlir::Value k, const std::optional<Extent>& k_left) const;
  /// Begins to copy the tile straight to LDS, to `stage` bytes (i32; null: 0) behind the operand's
  /// first tile. Does nothing if the operand passes through registers.
  void copy(mlir::Value k, mlir::Value stage, const std::optional<Extent>& k_left) const;
  /// Stores to LDS what `load` has returned, `stage` bytes behind the operand's first tile.
  void store(const std::vector<mlir::Value>& loaded, mlir::Value stage,
             const std::optional<Extent>& k_left) const;

  /// The number of copies straight to LDS that a wave makes for one tile. The wave waits for such
  /// copies by counting them; loads into registers are not among them.
  CopyCount count() const { return direct_ ? direct_->count() : CopyCount(); }

 private:
  const KernelContext& context_;
  std::optional<DirectCopies> direct_;
  std::optional<Staging> staging_;  // where there is no `direct_`
};

}  // namespace heddle::compiler
