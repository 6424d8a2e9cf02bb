// Rewrites products of integers with zero points: the sum over k of (a - za) (b - zb), as in
// linalg.quantized_matmul.
//
// For 8-bit elements the difference a - za has 9 bits, and no matrix instruction multiplies numbers
// of 9 bits. So the product becomes
//
//   sum of a b  -  zb * sum of a  -  za * sum of (b - zb)
//
// The first sum is a product of the elements as they are in memory. The second sum is over a row of
// A, the third over a column of B. Separate kernels compute these two, and the epilogue of the
// product subtracts them. Since integer sums wrap around, the result is the same to the last bit.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites the products on tensors that have zero points. A product that is known to have fewer
/// than 16 rows of A or columns of B stays as it is: reading B a second time would cost more than
/// the matrix instruction saves.
void separate_zero_points(mlir::func::FuncOp function);

}  // namespace heddle::compiler
