// The elementwise operations of arith on one element: rounding of the type, wrapping of integers.
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

/// `value` modulo 2^bits of an integer type, as a signed number; indices as they are.
std::int64_t wrapped_to(mlir::Type type, std::uint64_t value);

/// The result of one elementwise operation on elements, or nothing when the operation is not known.
/// Types: those of the elements.
std::optional<Interval> evaluate_element(mlir::Operation& operation,
                                         std::span<const Interval> operands, mlir::Type operand,
                                         mlir::Type result);

}  // namespace heddle::compiler
