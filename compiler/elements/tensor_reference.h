// Computes a function on tensors on the host, to check kernels that compute each element by itself
// (element_code.h). It computes one operation after the other, for all elements, by the operation's
// definition. The kernels go the other way, from an element of a result back to the arguments. Both
// begin with the function as the passes of compiler/reader leave it, so an error of those passes
// would not be found.
//
// An element is an interval of the values that a kernel may have. It is a single number if every
// step is exact or rounds to nearest. For a mathematical function that is not exact, it is the
// interval that runtime/numbers/math_functions.h allows.
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

/// Computes the elements of each result of the request's program, in row-major order. `problem` has
/// the sizes of this launch, and `before` has the bytes of each of the request's buffers before the
/// kernel ran. Empty if the function does something undefined, such as reading an element outside
/// of a tensor, or if it takes more than most_reference_steps; `error` then says so.
std::vector<std::vector<runtime::Interval>> tensor_reference(
    const MatmulRequest& request, const plan::Problem& problem,
    const std::vector<std::span<const std::byte>>& before, std::string& error);

}  // namespace heddle::compiler
