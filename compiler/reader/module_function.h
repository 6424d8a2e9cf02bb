// The function of a module that becomes kernels.
#pragma once

#include "compiler/diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace heddle::compiler {

/// The only function of `module` that no other calls; of several, the only public one. The bodies
/// of the functions that it calls replace the calls. `name`: which function; empty as said. Null:
/// refused, with the place.
mlir::func::FuncOp module_function(mlir::ModuleOp module, std::string_view name,
                                   Diagnostics& diagnostics);

}  // namespace heddle::compiler
