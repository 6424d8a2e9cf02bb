// Numbers of the type index that a function computes, such as offsets and sizes of tiles, as sums
// of multiples of the counters of the surrounding loops.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "compiler/reader/element.h"
#include "mlir/IR/AffineExpr.h"

namespace heddle::compiler {

/// `expression` as an Index, with dimension or symbol i replaced by `places[i]`. In this numbering
/// the dimensions come first, and the symbols follow. Factors and the constant may be negative.
/// Null if the expression is not linear, or if a number in it exceeds the size of any array.
std::optional<Index> linear(mlir::AffineExpr expression, unsigned dimensions,
                            const std::vector<Index>& places);

class LoopNumbers {
 public:
  /// Makes a new coordinate for the counter of a loop whose body is read next. The counter takes
  /// the values from 0 to `count` - 1.
  int open(std::int64_t count);
  std::int64_t count(int counter) const {
    return counts_[static_cast<std::size_t>(counter - first_counter)];
  }

  void set(mlir::Value value, const Index& number) {
    numbers_[value.getAsOpaquePointer()] = number;
  }
  /// Computes the result of an operation on indices and records it, so that number() finds it.
  /// Results of unknown operations are not recorded.
  void read(mlir::Operation& operation);
  std::optional<Index> number(mlir::OpFoldResult value) const;
  /// The value as a constant; null if it depends on a loop counter or is not known.
  std::optional<std::int64_t> constant(mlir::OpFoldResult value) const;

  /// The smallest and the largest value that the index has in any step of the loops on which it
  /// depends.
  std::int64_t least(const Index& index) const { return end(index, false); }
  std::int64_t most(const Index& index) const { return end(index, true); }

 private:
  std::int64_t end(const Index& index, bool is_most) const;
  std::optional<Index> least_of(const std::vector<std::optional<Index>>& all) const;

  std::vector<std::int64_t> counts_;
  std::map<const void*, Index> numbers_;
};

}  // namespace heddle::compiler
