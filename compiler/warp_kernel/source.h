// The text of one warp-level function, parsed and checked. It is compiled to the kernel; and the
// reference, which computes the expected results, interprets it.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/diagnostics.h"
#include "compiler/warp_kernel/argument.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace heddle::compiler {

struct WarpSource {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::vector<WarpArgument> arguments;
};

/// The dialects that a warp-level function is written in.
void load_warp_source_dialects(mlir::MLIRContext& context);

/// Reads one func.func whose arguments are memrefs and indices and that returns nothing. These are
/// refused with their position: text that MLIR does not parse or verify, a second function, and
/// operations and types that kernels do not support.
std::optional<WarpSource> read_warp_source(mlir::MLIRContext& context, std::string_view text,
                                           std::string_view file_name, Diagnostics& diagnostics);

/// The number type of memory elements of `type`; null if kernels do not support it.
std::optional<runtime::NumberType> number_type_of(mlir::Type type);

}  // namespace heddle::compiler
