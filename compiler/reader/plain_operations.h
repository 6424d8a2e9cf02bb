// Replaces operations by others that say the same and that all later code knows.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites sums of products in other words (math.fma, a difference with the sum),
/// bufferization.alloc_tensor, tensor.splat and insert, and ub.poison, which may be any value: it
/// becomes 0.
void use_plain_operations(mlir::func::FuncOp function);

/// Reductions on tensors that keep a dimension of size 1 are reshaped instead, and so are
/// elementwise operations that write at sums of loops.
void drop_kept_dimensions(mlir::func::FuncOp function);

/// A number as the encoding of tensors means something to some pass alone: it is left out.
void ignore_encodings(mlir::func::FuncOp function);

/// Numbers that a function returns become tensors without dimensions, and arguments copies.
void return_tensors(mlir::func::FuncOp function);

}  // namespace heddle::compiler
