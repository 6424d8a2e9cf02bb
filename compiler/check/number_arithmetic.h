// Computes the elementwise operations of MLIR's dialect arith on one element: floats are rounded to
// their type, integers wrap around.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include <optional>
#include <span>

#include "compiler/check/interval.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"

namespace heddle::compiler {

/// `value` rounded to nearest, ties to even, in a float type of MLIR.
double rounded_to(mlir::Type type, double value);

/// `value` as a signed number of an integer type of b bits, that is, modulo 2^b. A value of type
/// index stays as it is.
std::int64_t wrapped_to(mlir::Type type, std::uint64_t value);

/// The result of one elementwise operation; null if the operation is not known. `operand` and
/// `result` are the types of elements.
std::optional<Interval> evaluate_element(mlir::Operation& operation,
                                         std::span<const Interval> operands, mlir::Type operand,
                                         mlir::Type result);

}  // namespace heddle::compiler
