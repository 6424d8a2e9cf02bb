// The kernels whose mutants are tried, with launches small enough for thousands of runs.
#pragma once

#include <vector>

#include "trial.h"

namespace heddle::emulator::testing {

// The examples, compiled by clang with and without optimisation.
std::vector<Trial> example_trials();
// The corrected twins of tests/kernels/pitfalls whose waves and workgroups tell each other
// something through global memory.
std::vector<Trial> sharing_trials();
// Copies between memory and LDS, and named barriers: copies.hip.
std::vector<Trial> copy_trials();
// GEMM and attention of kernels/rdna, and what the compiler makes of products.
std::vector<Trial> kernel_trials();

}  // namespace heddle::emulator::testing
