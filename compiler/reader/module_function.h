// The function of a module that is to become kernels.
#pragma once

#include "compiler/diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace heddle::compiler {

/// The only function of `module` that none calls, of several the only public one, with the bodies
/// of those that it calls in place of the calls. Null: refused, with the place.
mlir::func::FuncOp module_function(mlir::ModuleOp module, Diagnostics& diagnostics);

}  // namespace heddle::compiler
