// Numbers of the type index that a function computes: the offsets and sizes of tiles, as sums of
// the counters of the surrounding loops.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "compiler/reader/element.h"
#include "mlir/IR/AffineExpr.h"

namespace heddle::compiler {

/// `expression` with dimension or symbol i, counted through both, replaced by `places[i]`; factors
/// and the constant may be negative. Nothing if it is not linear, or if it reaches further than any
/// array.
std::optional<Index> linear(mlir::AffineExpr expression, unsigned dimensions,
                            const std::vector<Index>& places);

class LoopNumbers {
 public:
  /// The coordinate of a counter that runs from 0, `count` times, while a loop is being read.
  int open(std::int64_t count);
  std::int64_t count(int counter) const {
    return counts_[static_cast<std::size_t>(counter - first_counter)];
  }

  void set(mlir::Value value, const Index& number) {
    numbers_[value.getAsOpaquePointer()] = number;
  }
  /// Follows an operation on numbers. The results of unknown operations have no number.
  void read(mlir::Operation& operation);
  std::optional<Index> number(mlir::OpFoldResult value) const;
  /// The number, if it is the same in all steps of all loops.
  std::optional<std::int64_t> constant(mlir::OpFoldResult value) const;

  /// The least and the largest number in all steps of the loops.
  std::int64_t least(const Index& index) const { return end(index, false); }
  std::int64_t most(const Index& index) const { return end(index, true); }

 private:
  std::int64_t end(const Index& index, bool is_most) const;
  std::optional<Index> least_of(const std::vector<std::optional<Index>>& all) const;

  std::vector<std::int64_t> counts_;
  std::map<const void*, Index> numbers_;
};

}  // namespace heddle::compiler
