// How the passes refuse an operation: by an error at its position that says what was found and what
// would be accepted.
#pragma once

#include "compiler/diagnostics.h"
#include "mlir/IR/Operation.h"

namespace heddle::compiler {

/// Emits an error at the position of `operation`: `FOUND; accepted: ACCEPTED`, without notes.
/// Always returns failure, so that the caller can return the result.
mlir::LogicalResult refuse(mlir::Operation* operation, const llvm::Twine& found,
                           const llvm::Twine& accepted);

}  // namespace heddle::compiler
