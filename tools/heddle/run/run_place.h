// The processor that `heddle run` compiles MLIR text for, and the device that runs it.
#pragma once

#include <expected>
#include <memory>

#include "heddle/instruction/target.h"
#include "runtime/device/device.h"
#include "tools/heddle/modules/run_module.h"
#include "tools/heddle/run/progress.h"

namespace heddle::tool {

struct RunPlace {
  instruction::Target target{};
  std::unique_ptr<runtime::Device> device;
};

/// Reads --target and --device. By default kernels are for gfx1151, and kernels of each vendor run
/// in software. Error: an unknown target or device, or a device that does not run the target's
/// kernels.
std::expected<RunPlace, Stop> open_run_place(const RunArguments& arguments);

/// The message of a failed launch, with status 1 if it had begun and 2 if it was refused.
Stop launch_stop(const runtime::Failure& failure);

/// Prints why the command ended early, in the form of its report. Returns the exit status.
int stopped(const Stop& stop, const RunArguments& arguments);

}  // namespace heddle::tool
