// Turns the vectors of a function into tensors: a vector.contract becomes a linalg operation, and a
// read of memory becomes a slice.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include "compiler/diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites a function that has vectors. Returns false if it has an unsupported operation on
/// vectors, which `diagnostics` names.
bool make_tensors_of_vectors(mlir::func::FuncOp function, Diagnostics& diagnostics);

}  // namespace heddle::compiler
