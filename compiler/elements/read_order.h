// Finds results whose elements lie in memory in another order than the elements from which they are
// computed, such as those of a transpose.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// The dimension of the results along which most of what the kernel reads is contiguous in memory.
/// -1 if there is no need for tiles: because this dimension is the last one with several elements,
/// along which the results are contiguous, too; or because tiles would not be worth it. Also -1 if
/// the results have different shapes, or if the size of a tensor is not known at compile time.
int read_dimension(mlir::func::FuncOp function);

}  // namespace heddle::compiler
