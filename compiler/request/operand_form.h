// What is known of where rows begin, whatever dynamic sizes are.
#pragma once

#include <cstdint>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// What a stride is a multiple of.
std::int64_t known_factor(const MatmulRequest& request, const Stride& stride);

/// Whether `count` neighbours along `axis`, from a multiple of `count` on, are one element.
bool is_one_element(const Axis& axis, std::int64_t count);

/// How a matrix of these loops lies: the dimension without gaps, if there is one, and how wide an
/// access may be along it.
plan::OperandForm form_of(const MatmulRequest& request, const MatrixRecord& matrix, plan::Loop rows,
                          plan::Loop columns);

/// Sets `transposed` and `divisor` of A's and B's forms: the dimension that lies without gaps, if
/// one does, and how wide an access may be along it.
void find_forms(MatmulRequest& request);

}  // namespace heddle::compiler
