// Constants of several values, which kernels read like arguments.
#pragma once

#include <cstddef>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Makes each arith.constant of a tensor with several values an argument of `function`, behind the
/// others. Returns the bytes of each, as kernels read them. A constant stays if the text lacks its
/// values, or if no kernel takes its elements.
std::vector<std::vector<std::byte>> make_arguments_of_constants(mlir::func::FuncOp function);

}  // namespace heddle::compiler
