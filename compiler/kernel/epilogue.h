// The steps from a sum to an element of D, for every kind of processor: the initial value, C, the
// rounding of the product, and the operations after it. The caller, which is specific to the
// processor, loads the elements of C and of the other matrices, and stores the element of D.
#pragma once

#include <vector>

#include "compiler/kernel/thread_context.h"
#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

class Epilogue {
 public:
  Epilogue(const ThreadContext& context, const MatmulRequest& request)
      : context_(context), request_(request) {}

  mlir::Type sum_type() const;
  /// The initial value of sums, as a number or vector of type `type`. If k is split, `part` is the
  /// number of the part of k (otherwise null). If parts are then added, only part 0 begins with the
  /// initial value, and the other parts begin with zero. With another combination each part begins
  /// with the initial value.
  mlir::Value initial(mlir::Type type, mlir::Value part) const;
  /// x and y combined in the way in which the problem combines products, usually x + y. x has the
  /// type of sums; y is converted to it.
  mlir::Value sum(mlir::Value x, mlir::Value y) const;
  /// A sum, converted to the type of the product.
  mlir::Value rounded(mlir::Value sum) const;
  /// Computes the element of D, then that of each further result. `inputs` are the rounded sum and
  /// then the elements of the other matrices. 8-bit floats are passed as integers with their bits,
  /// because LLVM does not have them.
  std::vector<mlir::Value> finished(const std::vector<mlir::Value>& inputs) const;

 private:
  const ThreadContext& context_;
  const MatmulRequest& request_;
};

}  // namespace heddle::compiler
