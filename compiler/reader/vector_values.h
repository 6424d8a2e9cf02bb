// Turns the vectors of a function into tensors: a contraction becomes a linalg operation, a read of
// memory a slice.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include "compiler/diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites a function that has vectors. False: it has an operation on them that is not read, which
/// `diagnostics` names.
bool make_tensors_of_vectors(mlir::func::FuncOp function, Diagnostics& diagnostics);

}  // namespace heddle::compiler
