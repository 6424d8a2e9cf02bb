// Constants of several values, which kernels read as they read arguments.
#pragma once

#include <cstddef>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Makes each arith.constant of a tensor with several values an argument of `function`, behind the
/// others. Gives the bytes of each, as kernels read them. Constants of which the text does not have
/// the values, or of elements that no kernel takes, stay.
std::vector<std::vector<std::byte>> make_arguments_of_constants(mlir::func::FuncOp function);

}  // namespace heddle::compiler
