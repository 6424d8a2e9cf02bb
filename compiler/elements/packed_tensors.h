// Replaces linalg.pack and unpack in functions whose elements are computed one by one.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Makes padding, reshapes and transpositions of packs and unpacks of tensors of known sizes, as
/// MLIR itself does; element kernels have those.
void unfold_packed_tensors(mlir::func::FuncOp function);

}  // namespace heddle::compiler
