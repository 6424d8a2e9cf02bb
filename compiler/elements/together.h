// How many adjacent elements of a result one thread computes.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// The number of adjacent elements, along the last dimension of the results, that a thread
/// computes. It is as large as a store of 16 bytes allows, and divides the size of the last
/// dimension. 1 if the results have different shapes, or if the code for an element has a loop or a
/// branch.
int elements_together(mlir::func::FuncOp function);

}  // namespace heddle::compiler
