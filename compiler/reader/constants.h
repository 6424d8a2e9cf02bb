// Turns each constant tensor of several values into a function argument, so that kernels read it
// like any other argument.
#pragma once

#include <cstddef>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Replaces each arith.constant of a tensor with several values by a new argument of `function`,
/// after the existing arguments. Returns the bytes that each new argument must have at launch, in
/// the order of the new arguments. A constant stays as it is if the text does not contain its
/// values, or if no kernel supports its element type.
std::vector<std::vector<std::byte>> make_arguments_of_constants(mlir::func::FuncOp function);

}  // namespace heddle::compiler
