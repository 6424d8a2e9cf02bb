// Products of whole numbers with zero points: the sum over k of (a - za) (b - zb), as
// linalg.quantized_matmul has it.
//
// What is left of a - za has 9 bits and no matrix instruction. So the product becomes
//
//   sum of a b  -  zb * sum of a  -  za * sum of (b - zb)
//
// of which the first is multiplied as it lies. The others are sums of rows of A and of columns of
// B, in kernels of their own, and the product's epilogue adds them. Sums wrap around, so the
// result is the same to the last bit.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites such products on tensors. A product with a dimension of known size below 16 stays as it
/// is: reading B a second time would cost more than the instruction saves.
void separate_zero_points(mlir::func::FuncOp function);

}  // namespace heddle::compiler
