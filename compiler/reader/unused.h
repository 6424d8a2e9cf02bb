// Removes what nothing uses: operations, and results of operations with several.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// True if the operation has a kernel: it sums over loops, as a product does, or is marked
/// (elements/marks.h).
bool is_sum(mlir::Operation& operation);

/// Erases operations of `function`, which has one block, whose results nothing uses, unless no sum
/// would be left. A linalg.generic on tensors with several results becomes one for each used
/// result.
void erase_unused(mlir::func::FuncOp function);

}  // namespace heddle::compiler
