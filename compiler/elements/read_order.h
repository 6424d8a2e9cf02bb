// Finds results whose elements lie in memory in another order than those that they are computed of,
// such as a transpose's.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// The dimension of the results, which have one shape, along which most of what the kernel reads
/// are neighbours in memory. -1: the last one of several elements, along which results are
/// neighbours; or there is none that is worth tiles.
int read_dimension(mlir::func::FuncOp function);

}  // namespace heddle::compiler
