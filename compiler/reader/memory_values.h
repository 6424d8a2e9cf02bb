// Rewrites functions on memrefs as functions on tensors, because all later stages only support
// tensors.
//
// - At every point of straight-line code, the contents of a memref are one tensor.
// - A view (memref.subview, collapse_shape, expand_shape, transpose, cast) becomes the same
// operation on that tensor.
// - A write through a view makes a new tensor with the contents of the whole memref.
//
// At the end the function returns its own results, followed by the final value of each argument
// that was written. The latter is a bufferization.materialize_in_destination of the value to the
// argument; if only one view of the argument was written, it stores to that view.
#pragma once

#include "compiler/diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites `function` if it has one block. Returns false if the function is refused; the reason
/// and its place are then added to `diagnostics`.
bool make_values_of_memory(mlir::func::FuncOp function, Diagnostics& diagnostics);

}  // namespace heddle::compiler
