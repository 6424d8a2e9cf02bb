// A sequence consists of parts, each with a kernel. Judges whether the kernel of one part has
// written the right results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "compiler/request/matmul_request.h"
#include "runtime/judge/matmul_check.h"

namespace heddle::compiler {

/// Checks what a kernel wrote: one verdict for each of `written_matrices`, in their order. `before`
/// and `after` have the bytes of each buffer of the request before and after the kernel ran. Error:
/// the reason why the results cannot be checked.
std::expected<std::vector<runtime::MatmulCheck>, std::string> check_part(
    const MatmulRequest& request, const plan::Problem& problem,
    const std::vector<std::span<const std::byte>>& before,
    const std::vector<std::span<const std::byte>>& after,
    const std::function<void(std::int64_t rows)>& progress = {});

}  // namespace heddle::compiler
