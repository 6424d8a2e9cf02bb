// What a launch did, written into a KernelRun: the same for a launch file and for the launches of a
// program.
#pragma once

#include <optional>

#include "runtime/device/device.h"
#include "tools/heddle/reports/kernel_run.h"
#include "tools/heddle/run/progress.h"

namespace heddle::tool {

/// The kernel, the device and the sizes of a launch that is about to be made. `run.file` is set.
void record_launch(KernelRun& run, const runtime::Module& module, const runtime::Device& device,
                   const emulator::Launch& launch);

/// The counts and findings of a launch that ran to its end, or with --check to a fault.
void record_report(KernelRun& run, const runtime::Module& module, runtime::LaunchReport report);

/// A fault becomes the last finding. Returns the refusal of a launch that does not fit its kernel.
std::optional<Stop> record_failure(KernelRun& run, const runtime::Module& module,
                                   const runtime::Failure& failure);

}  // namespace heddle::tool
