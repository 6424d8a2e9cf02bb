// What whole calls of GEMM kernels execute, beside kernels that the compiler makes for the same
// contract.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::kernels {

/// Prints the tables of bench/records/kernels.md, for D of `size` x `size`; the status of the
/// program.
int print_whole_calls(const std::string& target, std::uint32_t size);

}  // namespace heddle::kernels
