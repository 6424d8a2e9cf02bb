// How the passes refuse: at the operation, with what was found and what would be accepted.
#pragma once

#include "compiler/diagnostics.h"
#include "mlir/IR/Operation.h"

namespace heddle::compiler {

/// An error at the place of `operation`: `FOUND; accepted: ACCEPTED`, and no more. Always failure.
mlir::LogicalResult refuse(mlir::Operation* operation, const llvm::Twine& found,
                           const llvm::Twine& accepted);

}  // namespace heddle::compiler
