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

/// The arguments with which the kernel is launched. They refer to `memory`, which must outlive
/// them.
std::vector<emulator::Argument> warp_kernel_arguments(const WarpCompilation& compiled,
                                                      const WarpCase& trial,
                                                      std::vector<std::vector<std::byte>>& memory);

/// Runs the kernel `compiled` on the memory of `trial`. Precondition: `compiled` is the text from
/// which `trial` was made, compiled to Stage::object. Errors: those of the device; also that the
/// run exceeds the budget of an emulator.
std::expected<WarpRun, runtime::Failure> run_warp_kernel(runtime::Device& device,
                                                         const WarpCompilation& compiled,
                                                         const WarpCase& trial,
                                                         const emulator::Budget& budget = {});

}  // namespace heddle::compiler
