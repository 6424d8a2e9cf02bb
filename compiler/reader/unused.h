// Removes unused operations, and unused results of operations with several results.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// True if a kernel is made for the operation: it sums over loops, as a matrix product does, or it
/// is marked (reader/element_marks.h).
bool is_sum(mlir::Operation& operation);

/// Erases the operations of `function` whose results are not used, unless no sum would be left.
/// Splits each linalg.generic on tensors with several results into one for each used result.
/// Precondition: `function` has one block.
void erase_unused(mlir::func::FuncOp function);

}  // namespace heddle::compiler
