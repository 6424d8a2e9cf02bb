// Facts about the layout of operands (contiguous dimension, alignment of rows) that hold for all
// values of dynamic sizes.
#pragma once

#include <cstdint>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// A number that divides the stride.
std::int64_t known_factor(const MatmulRequest& request, const Stride& stride);

/// True if, along `axis`, every `count` neighbours that begin at a multiple of `count` are the same
/// element in memory.
bool is_one_element(const Axis& axis, std::int64_t count);

/// The layout of a matrix whose rows are along the loop `rows` and whose columns are along the loop
/// `columns`: which of the two is contiguous in memory, if one is, and how wide an access along it
/// may be.
plan::OperandForm form_of(const MatmulRequest& request, const MatrixRecord& matrix, plan::Loop rows,
                          plan::Loop columns);

/// Sets `transposed` and `divisor` in request.problem.a and request.problem.b: which dimension of A
/// and of B is contiguous, and how wide an access along it may be.
void find_forms(MatmulRequest& request);

}  // namespace heddle::compiler
