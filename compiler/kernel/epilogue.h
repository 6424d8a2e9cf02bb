// The way from a sum to an element of D, on every machine: the initial value, C, the rounding of
// the product, and the operations after it. The machine knows where the elements of C and of the
// other matrices are, and where the element of D goes.
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
  /// The initial value of sums as `type`: the type of sums, or a vector of it. If k has several
  /// parts (`part` is not null), only the first part has it.
  mlir::Value initial(mlir::Type type, mlir::Value part) const;
  /// x + y of sums, or the problem's other combination; y may have another type.
  mlir::Value sum(mlir::Value x, mlir::Value y) const;
  /// A sum, converted to the type of the product.
  mlir::Value rounded(mlir::Value sum) const;
  /// The element of D, and those of the request's further results. `inputs` are the rounded sum and
  /// the elements of the other matrices. 8-bit floats are integers of their bits: LLVM has none.
  std::vector<mlir::Value> finished(const std::vector<mlir::Value>& inputs) const;

 private:
  const ThreadContext& context_;
  const MatmulRequest& request_;
};

}  // namespace heddle::compiler
