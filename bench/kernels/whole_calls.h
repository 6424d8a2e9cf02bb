// What whole calls of GEMM kernels execute, beside kernels that the compiler makes for the same
// contract.
#pragma once

#include <string>

namespace heddle::kernels {

/// Prints the tables of docs/kernels.md; the status of the program.
int print_whole_calls(const std::string& target);

}  // namespace heddle::kernels
