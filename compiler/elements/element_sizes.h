// The dynamic sizes of a function on tensors: which dimensions are equally long, and which sizes a
// launch has to tell.
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

/// `times` times an unknown number; number 0 is 1, so that a known size is `times`.
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
  /// Reads the operations of the function's block. Dimensions over which one loop runs, and those
  /// of operands of an elementwise operation, are equally long.
  explicit ElementSizes(mlir::func::FuncOp function);

  /// The size of a dimension.
  ElementSize of(mlir::Value tensor, unsigned dim);
  /// The size that an argument of the type index is; nothing if it is none.
  std::optional<ElementSize> of_argument(mlir::BlockArgument argument) const;
  /// What an unknown number has to be (`is_least`: at least), as far as the text says; nothing if
  /// it may be any.
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
