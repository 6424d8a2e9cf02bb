// Replaces linalg.pack and linalg.unpack, for element kernels.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Replaces each pack and unpack of tensors of known sizes by padding, reshapes and transpositions,
/// which element kernels support. MLIR has the same replacement.
void unfold_packed_tensors(mlir::func::FuncOp function);

}  // namespace heddle::compiler
