// Replaces operations by others that say the same and that all later code knows.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites sums of products in other words (math.fma, a difference with the sum), math.fpowi,
/// bufferization.alloc_tensor, and ub.poison, which may be any value: it becomes 0.
void use_plain_operations(mlir::func::FuncOp function);

}  // namespace heddle::compiler
