// Judges what the kernel of a part of a sequence wrote.
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

/// A verdict on each of `written_matrices`. `before` and `after` have the bytes of each buffer of
/// the request. Error: why there is none.
std::expected<std::vector<runtime::MatmulCheck>, std::string> check_part(
    const MatmulRequest& request, const plan::Problem& problem,
    const std::vector<std::span<const std::byte>>& before,
    const std::vector<std::span<const std::byte>>& after,
    const std::function<void(std::int64_t rows)>& progress = {});

}  // namespace heddle::compiler
