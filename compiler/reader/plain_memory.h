// Replaces operations on memory by equivalent ones that later stages support.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites two kinds of operations. Each memref.view of bytes that the function allocates becomes
/// a separate allocation, if no two views overlap. Each memref.store becomes a fill of a
/// memref.subview of one element.
void use_plain_memory(mlir::func::FuncOp function);

/// Removes each vector.print, since kernels do not print, and the operations whose results only
/// such prints use. Returns the number of removed prints.
int remove_prints(mlir::func::FuncOp function);

}  // namespace heddle::compiler
