// Functions whose elements depend on reductions of rows: sums, softmax, norms, the largest element
// with its index. Threads share each reduction (row_kernel.h).
#pragma once

#include <optional>
#include <vector>

#include "compiler/plan/element_rows.h"
#include "heddle/plan/expression.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle::compiler {

/// How two partial results of a reduction become one.
struct Merge {
  /// How the partial results of each result are combined: a step for each result. The order may be
  /// any.
  std::vector<plan::Step> steps;
  /// If `compare` is set, `steps` do not count. The reduction then has two results, a value and its
  /// index. Of two values it takes the better one, and of equal values the first or the last
  /// (`takes_first`).
  mlir::Operation* compare = nullptr;  // of a new value and the best one
  bool new_is_first = true;            // among the operands of `compare`
  bool takes_first = true;
  unsigned value = 0;      // the number of the result that is the value; the other is the place
  bool keeps_nan = false;  // a NaN becomes the value, but is not better than another
};

/// A linalg operation. Several threads share its reduced loops.
struct SharedReduction {
  mlir::linalg::LinalgOp operation;
  std::vector<int> rows;          // of each loop: the dimension of the row; others below
  std::vector<unsigned> reduced;  // loops, in their order
  Merge merge;

  static constexpr int is_reduced = -1, is_zero = -2;
  std::vector<std::int64_t> sizes() const;  // of reduced loops
};

struct RowFunction {
  std::vector<std::int64_t> rows;           // the first dimensions of all results
  std::vector<SharedReduction> reductions;  // each behind those that it needs
  plan::ElementRows shared;
};

/// How many words of 32 bits a number takes.
int word_count(mlir::Type type);

/// Has no value if each thread computes its elements without the others.
std::optional<RowFunction> row_function(mlir::func::FuncOp function);

/// True if one kernel can do all that the function does: it has no product, and reads each element
/// that it reduces only once.
bool is_row_function(mlir::func::FuncOp function);

}  // namespace heddle::compiler
