// Runs the kernel of a warp-level function on one case.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "compiler/check/warp_case.h"
#include "compiler/warp_kernel/compile.h"
#include "runtime/device/device.h"

namespace heddle::compiler {

struct WarpRun {
  std::vector<std::vector<std::byte>> results;  // the memrefs' memory afterwards
  runtime::LaunchReport report;
};

/// The arguments of the kernel's launch. The buffers are those of `memory`, which outlives them.
std::vector<emulator::Argument> warp_kernel_arguments(const WarpCompilation& compiled,
                                                      const WarpCase& trial,
                                                      std::vector<std::vector<std::byte>>& memory);

/// `compiled` is the case's text, compiled to Stage::object. Errors: those of the device, also if
/// the run exceeds the budget of an emulator.
std::expected<WarpRun, runtime::Failure> run_warp_kernel(runtime::Device& device,
                                                         const WarpCompilation& compiled,
                                                         const WarpCase& trial,
                                                         const emulator::Budget& budget = {});

}  // namespace heddle::compiler
