// Finds values that cannot be computed inside the kernel of a product, and gives each a separate
// kernel: the value is copied by a sum over one element, and a sum gets a kernel.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Puts sums over one element, each of which becomes a separate kernel, into `function`, which has
/// one block. They are put
/// - between a product and an operation that reads the product's elements in two orders (`M +
/// transposed(M)`),
/// - after padding around a product,
/// - after a result that has more elements than the last sum from which it is computed,
/// - if there are several results: after each result that is computed from no product, or that has
/// other elements than its product.
void give_own_kernels(mlir::func::FuncOp function);

/// Joins blocks that follow each other without a condition.
void join_blocks(mlir::func::FuncOp function);

}  // namespace heddle::compiler
