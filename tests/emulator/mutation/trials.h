// The kernels whose mutants are tried, with launches small enough for thousands of runs.
#pragma once

#include <vector>

#include "trial.h"

namespace heddle::emulator::testing {

// The examples, compiled by clang with and without optimisation.
std::vector<NamedTrial> example_trials();
// The corrected twins of tests/kernels/pitfalls whose waves and workgroups tell each other
// something through global memory.
std::vector<NamedTrial> sharing_trials();
// Copies between memory and LDS, and named barriers: copies.hip.
std::vector<NamedTrial> copy_trials();
// GEMM and attention of kernels/rdna, and what the compiler makes of products.
std::vector<NamedTrial> kernel_trials();

}  // namespace heddle::emulator::testing
