// Computes a function on tensors on the host, one operation after the other, each over all elements
// and by its definition: the independent witness of kernels that compute each element by itself
// (element_code.h), which go the other way, from a result back to the arguments. Both begin with
// the function as the passes of compiler/reader leave it, so that an error of theirs is in both.
//
// An element is an interval: one number where every step is exact or rounded to nearest, and what
// runtime/numbers/math_functions.h allows of a function where it has an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/request/matmul_request.h"
#include "runtime/numbers/interval.h"

namespace heddle::compiler {

/// The most steps of a reference: operations on one element.
inline constexpr std::int64_t most_reference_steps = 400'000'000;

/// The elements of each result of the request's program, row-major. `problem` has the actual sizes,
/// and `before` the bytes of each buffer of the request before the kernel ran. Empty where the
/// function does what has no meaning, such as to read an element outside of a tensor, or takes more
/// steps; `error` then says so.
std::vector<std::vector<runtime::Interval>> tensor_reference(
    const MatmulRequest& request, const plan::Problem& problem,
    const std::vector<std::span<const std::byte>>& before, std::string& error);

}  // namespace heddle::compiler
