// Chooses the function of a module that is compiled to kernels, and inlines what it calls.
#pragma once

#include "compiler/diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace heddle::compiler {

/// Returns the function called `name`. If `name` is empty, returns the only function of `module`
/// that no other function calls; if there are several, the only public one of them. Calls in the
/// returned function are replaced by the bodies of the called functions. Returns null if there is
/// no such function or it is refused; the reason and its place are then added to `diagnostics`.
mlir::func::FuncOp module_function(mlir::ModuleOp module, std::string_view name,
                                   Diagnostics& diagnostics);

}  // namespace heddle::compiler
