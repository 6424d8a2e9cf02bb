// Records a launch in a KernelRun, for launch files and for the launches of programs.
#pragma once

#include <optional>

#include "runtime/device/device.h"
#include "tools/heddle/reports/kernel_run.h"
#include "tools/heddle/run/progress.h"

namespace heddle::tool {

/// Records the kernel, the device and the sizes. Called before the launch, with `run.file` set.
void record_launch(KernelRun& run, const runtime::Module& module, const runtime::Device& device,
                   const emulator::Launch& launch);

/// Records the counts and findings of a launch that ran to its end or, with --check, to a fault.
void record_report(KernelRun& run, const runtime::Module& module, runtime::LaunchReport report);

/// Records a failed launch. A fault becomes the last finding. If the launch was refused because it
/// does not fit its kernel, returns a Stop with the refusal.
std::optional<Stop> record_failure(KernelRun& run, const runtime::Module& module,
                                   const runtime::Failure& failure);

}  // namespace heddle::tool
