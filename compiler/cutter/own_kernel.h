// Values that no product can compute on its way. Each gets a kernel of its own, which is a sum over
// one element.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Puts such a sum into `function`, which has one block. It goes between a product and an operation
/// that reads its elements in two orders (`M + transposed(M)`), after padding around a product, and
/// after a result with more elements than the last sum from which it is computed. If there are
/// several results, it also goes after each result that is computed from no product or has other
/// elements than its product.
void give_own_kernels(mlir::func::FuncOp function);

/// Joins blocks that follow each other without a condition.
void join_blocks(mlir::func::FuncOp function);

}  // namespace heddle::compiler
