// Replaces reductions of integers by equivalent ones that the kernels of products support.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites two kinds of operations on tensors:
/// - A product of i1 that is summed by `or` becomes a product of i8 with sums of i32; an element of
/// the result is true if its sum is not 0.
/// - The maximum or minimum of unsigned numbers becomes that of signed numbers, whose sign bits are
/// inverted before and after.
void use_plain_integers(mlir::func::FuncOp function);

}  // namespace heddle::compiler
