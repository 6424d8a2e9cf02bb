// The kernels whose mutants are tried, with launches small enough for thousands of runs.
#pragma once

#include <memory>
#include <vector>

#include "trial.h"

namespace heddle::emulator::testing {

// Owns the memory of its launch.
struct OwnedTrial {
  Trial trial;
  std::shared_ptr<void> memory;
};

// The examples, compiled by clang with and without optimisation.
std::vector<OwnedTrial> example_trials();
// GEMM and attention of kernels/rdna, and what the compiler makes of examples/matmul.mlir.
std::vector<OwnedTrial> kernel_trials();

}  // namespace heddle::emulator::testing
