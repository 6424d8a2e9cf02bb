// How many neighbours of a result one thread computes.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// The elements that a thread computes together, along the last dimension of all results: as many
/// as one store of 16 bytes has, and a divisor of that dimension. 1: the results have several
/// shapes, or an element takes a loop or a branch of its own.
int elements_together(mlir::func::FuncOp function);

}  // namespace heddle::compiler
