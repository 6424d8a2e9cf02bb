// Functions on memrefs as functions on tensors: everything after this knows values alone.
//
// What a memref holds is a tensor at every point of straight-line code. A view (memref.subview,
// collapse_shape, expand_shape, transpose, cast) is the same operation on that tensor; what is
// written through a view changes the tensor that it is a view of. At the end the function returns,
// after its own results, what it leaves in each of its arguments, as
// bufferization.materialize_in_destination of the value in the argument, or in the view of it that
// alone was written.
#pragma once

#include "compiler/diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites `function`, where it has one block. False: refused, with the place.
bool make_values_of_memory(mlir::func::FuncOp function, Diagnostics& diagnostics);

}  // namespace heddle::compiler
