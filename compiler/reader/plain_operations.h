// Replaces operations by equivalent ones that later stages support.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites sums of products in other words (math.fma, a difference with the sum),
/// bufferization.alloc_tensor, tensor.splat and insert, and ub.poison, which may be any value: it
/// becomes 0.
void use_plain_operations(mlir::func::FuncOp function);

/// Rewrites two kinds of operations on tensors as an operation followed by a reshape:
/// - reductions that keep a reduced dimension with size 1, which the new reduction does not have;
/// - elementwise operations whose result is indexed by sums of loop counters; the new result has
/// one dimension for each loop.
void drop_kept_dimensions(mlir::func::FuncOp function);

/// Removes tensor encodings that are numbers, since they only have a meaning for the pass that
/// wrote them.
void ignore_encodings(mlir::func::FuncOp function);

/// Makes the function return tensors: replaces a returned scalar by a tensor without dimensions,
/// and a returned argument by a copy of the argument.
void return_tensors(mlir::func::FuncOp function);

}  // namespace heddle::compiler
