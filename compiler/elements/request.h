// Makes the request of a kernel that computes each element of its results by itself.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/diagnostics.h"
#include "compiler/request/matmul_request.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// True if `function` has an operation with a kernel of its own.
bool is_element_function(mlir::func::FuncOp function);

/// The request; nothing if it is refused. The function's arguments and results are the kernel's.
std::optional<MatmulRequest> element_request(mlir::func::FuncOp function, Diagnostics& diagnostics);

}  // namespace heddle::compiler
