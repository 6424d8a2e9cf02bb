// Records a launch in a KernelRun, for launch files and for the launches of programs.
#pragma once

#include <optional>

#include "runtime/device/device.h"
#include "tools/heddle/reports/kernel_run.h"
#include "tools/heddle/run/progress.h"

namespace heddle::tool {

/// Records the kernel, the device and the sizes before the launch. `run.file` is set.
void record_launch(KernelRun& run, const runtime::Module& module, const runtime::Device& device,
                   const emulator::Launch& launch);

/// Records the counts and findings of a launch that ran to its end or, with --check, to a fault.
void record_report(KernelRun& run, const runtime::Module& module, runtime::LaunchReport report);

/// Records a fault as the last finding. If the launch does not fit its kernel, returns the refusal.
std::optional<Stop> record_failure(KernelRun& run, const runtime::Module& module,
                                   const runtime::Failure& failure);

}  // namespace heddle::tool
