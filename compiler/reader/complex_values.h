// Rewrites functions on complex numbers as functions on pairs of floats: all later code only knows
// floats.
//
// A tensor of complex numbers lies in memory as one of floats with a last dimension of 2, for the
// real and the imaginary part. So a product of complex numbers is one of floats whose k and n are
// twice as long: with i over the parts of A and j over those of D,
//
//   D(m, n, j) = sum over k, i of A(m, k, i) * B'(k, n, i, j),   B'(.., i, j) = | re  im |
//                                                                               |-im  re |
//
// and B' is made on the way into shared memory.
#pragma once

#include "compiler/diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites `function`, which has one block and no memory but its arguments (memory_values.h).
/// False: refused, with the place.
bool split_complex_numbers(mlir::func::FuncOp function, Diagnostics& diagnostics);

}  // namespace heddle::compiler
