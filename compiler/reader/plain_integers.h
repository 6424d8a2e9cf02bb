// Replaces sums of whole numbers by others that say the same and that products' kernels have.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites two kinds of operations on tensors:
/// - Products of i1, whose sum is `or`: those of bytes, of which an element is true if the sum of
///   i32 is not 0.
/// - The largest or smallest of unsigned numbers: that of signed ones. Both differ in the sign bit.
void use_plain_integers(mlir::func::FuncOp function);

}  // namespace heddle::compiler
