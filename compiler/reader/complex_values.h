// Rewrites functions on complex numbers as functions on pairs of floats, because all later stages
// only support floats.
//
// A tensor of complex numbers has the same memory layout as a tensor of floats with a last
// dimension of 2, for the real and the imaginary part. So a product of complex numbers becomes a
// product of floats whose k and n are twice as long. With i = 0, 1 for the parts of an element of
// A, and j = 0, 1 for the parts of an element of D:
//
//   D(m, n, j) = sum over k, i of A(m, k, i) * B'(k, n, i, j),   B'(.., i, j) = | re  im |
//                                                                               |-im  re |
//
// Here re and im are the parts of B(k, n). The kernel computes B' from B on the way into shared
// memory.
#pragma once

#include "compiler/diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites `function`. Precondition: it has one block, and uses no memory except its arguments
/// (memory_values.h). Returns false if the function is refused; the reason and its place are then
/// added to `diagnostics`.
bool split_complex_numbers(mlir::func::FuncOp function, Diagnostics& diagnostics);

}  // namespace heddle::compiler
