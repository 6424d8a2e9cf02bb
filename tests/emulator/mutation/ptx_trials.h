// Correct kernels of PTX, each with a launch, for ptx_mutation_table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "emulator/record/launch.h"

namespace heddle::emulator::testing {

struct PtxTrial {
  std::string name;  // "f16 64x64x32 sm_100a"
  std::string text;
  Launch launch;
  std::vector<std::span<std::byte>> buffers;  // of the launch
  std::shared_ptr<void> memory;
};

// Those of tests/data: kernels for Blackwell, and for Hopper.
std::vector<PtxTrial> recorded_ptx_trials();
// Products by wgmma of this compiler.
std::vector<PtxTrial> compiled_ptx_trials();

}  // namespace heddle::emulator::testing
