// Rewrites functions on memrefs as functions on tensors: all later code only knows values.
//
// At every point of straight-line code a memref holds a tensor. A view (memref.subview,
// collapse_shape, expand_shape, transpose, cast) is the same operation on that tensor. A write
// through a view changes the tensor that it is a view of. At the end the function returns its own
// results, then the final value of each argument, as bufferization.materialize_in_destination of
// the value in the argument, or in the only view of it that was written.
#pragma once

#include "compiler/diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites `function` if it has one block. False: refused, with the place.
bool make_values_of_memory(mlir::func::FuncOp function, Diagnostics& diagnostics);

}  // namespace heddle::compiler
