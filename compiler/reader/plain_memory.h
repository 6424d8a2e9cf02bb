// Replaces operations on memory by others that say the same and that all later code knows.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites memref.view of bytes that the function allocates, of which no two views share a byte:
/// each is an allocation of its own. Rewrites memref.store, which fills a memref.subview of one
/// element.
void use_plain_memory(mlir::func::FuncOp function);

/// Removes vector.print with what it alone reads, since a kernel prints nothing. Returns how many.
int remove_prints(mlir::func::FuncOp function);

}  // namespace heddle::compiler
