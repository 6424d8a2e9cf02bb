// Operations on places (indices of elements), which are numbers of the type index.
#pragma once

#include <string_view>

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace heddle::compiler {

inline constexpr std::string_view accepted_on_places =
    "arith's addi, subi, muli, divisions and remainders, shifts, andi, ori, xori, maximum, "
    "minimum, cmpi, select, index_cast and index_castui; affine.apply, min and max";

/// True if an operand or the result is a number of the type index.
bool is_of_places(mlir::Operation& operation);

/// True if element kernels have such an operation.
bool is_accepted_on_places(mlir::Operation& operation);

/// If a function uses the elements of `argument` as indices of tensors: the size of the smallest
/// dimension that they index, so that smaller indices are valid. 0 if it does not use them as
/// indices.
std::int64_t index_end(mlir::BlockArgument argument);

}  // namespace heddle::compiler
