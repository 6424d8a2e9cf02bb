// Facts about the start of rows that hold for all dynamic sizes.
#pragma once

#include <cstdint>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// A number that divides the stride.
std::int64_t known_factor(const MatmulRequest& request, const Stride& stride);

/// True if `count` neighbours along `axis`, from a multiple of `count` on, are one element.
bool is_one_element(const Axis& axis, std::int64_t count);

/// The form of a matrix of these loops: the dimension without gaps, if there is one, and how wide
/// an access along it may be.
plan::OperandForm form_of(const MatmulRequest& request, const MatrixRecord& matrix, plan::Loop rows,
                          plan::Loop columns);

/// Sets `transposed` and `divisor` of A's and B's forms: the dimension without gaps, if there is
/// one, and how wide an access along it may be.
void find_forms(MatmulRequest& request);

}  // namespace heddle::compiler
