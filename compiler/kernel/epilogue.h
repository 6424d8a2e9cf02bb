// From a sum to an element of D, on every machine: what the sum begins with, C, the rounding of the
// product, and the operations after it. A machine knows where the elements of C and of the other
// matrices are, and into what of D the element goes.
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
  /// What sums begin with, as `type`: that of sums, or a vector of it. Of several parts of k
  /// (`part` is not null) the first alone has it.
  mlir::Value initial(mlir::Type type, mlir::Value part) const;
  /// x + y of sums, or as the problem combines them; y may have another type.
  mlir::Value sum(mlir::Value x, mlir::Value y) const;
  /// A sum as the type of the product.
  mlir::Value rounded(mlir::Value sum) const;
  /// The element of D, and those of the request's further results: `inputs` are the rounded sum and
  /// the elements of the other matrices. Floats of 8 bits come as bits: LLVM has none.
  std::vector<mlir::Value> finished(const std::vector<mlir::Value>& inputs) const;

 private:
  const ThreadContext& context_;
  const MatmulRequest& request_;
};

}  // namespace heddle::compiler
