// Finds out about the dynamic sizes of a function on tensors which dimensions have equal sizes, and
// which sizes a launch has to give.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::compiler {

/// The size of a dimension: `times` times the unknown number that has the index `number`. Index 0
/// stands for the number 1, so the size is known if `number` is 0.
struct ElementSize {
  std::int64_t times = 1;
  int number = 0;

  bool is_known() const { return number == 0; }
};

/// A sum of sizes.
struct SizeSum {
  struct Term {
    std::int64_t factor = 1;
    ElementSize size;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms = {};
};

class ElementSizes {
 public:
  /// Reads the operations of the function's block. From these it follows which sizes are equal:
  /// dimensions over which the same loop runs, and the dimensions of the operands of an elementwise
  /// operation.
  explicit ElementSizes(mlir::func::FuncOp function);

  /// The size of a dimension.
  ElementSize of(mlir::Value tensor, unsigned dim);
  /// If the function uses an argument of type index as the size of a dimension, this size;
  /// otherwise null.
  std::optional<ElementSize> of_argument(mlir::BlockArgument argument) const;
  /// What the text demands of the unknown number with index `number`: it must be equal to `sum` or,
  /// if `is_least`, at least `sum`. limit() returns null if the text demands nothing of it.
  struct Limit {
    SizeSum sum;
    bool is_least = false;
  };
  std::optional<Limit> limit(int number);
  /// Where sizes are equal that cannot be.
  std::optional<std::pair<mlir::Location, std::string>> conflict() const { return conflict_; }

 private:
  void read(mlir::Operation& operation);
  void read(mlir::linalg::LinalgOp linalg);
  ElementSize computed(mlir::Value tensor, unsigned dim);
  ElementSize of_slice(mlir::tensor::ExtractSliceOp slice, unsigned dim);
  ElementSize of_reshape(mlir::Operation& operation, unsigned dim);
  ElementSize of_index(mlir::OpFoldResult value);
  std::optional<SizeSum> sum_of(mlir::OpFoldResult value);
  ElementSize of_sum(SizeSum sum);
  ElementSize unknown();
  ElementSize resolved(ElementSize size) const;
  SizeSum resolved(const SizeSum& sum) const;
  void make_equal(mlir::Location where, ElementSize x, ElementSize y);
  void bound(ElementSize size, SizeSum least);

  std::vector<ElementSize> known_;  // of each unknown number: what it is, or itself
  std::map<std::pair<const void*, int>, ElementSize> sizes_;
  std::vector<std::pair<ElementSize, Limit>> limits_;
  std::optional<std::pair<mlir::Location, std::string>> conflict_;
};

}  // namespace heddle::compiler
