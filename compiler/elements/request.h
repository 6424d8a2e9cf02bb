// Makes the request of a kernel that computes each element of its results by itself.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/diagnostics.h"
#include "compiler/request/matmul_request.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// True if `function` has an operation that a kernel computes element by element.
bool is_element_function(mlir::func::FuncOp function);

/// The request of an element kernel that computes `function`; its arguments and results become the
/// kernel's. Null if the function is refused; `diagnostics` then has the reason.
std::optional<MatmulRequest> element_request(mlir::func::FuncOp function, Diagnostics& diagnostics);

}  // namespace heddle::compiler
