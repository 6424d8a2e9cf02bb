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

/// Chooses the target by --target and the device by --device. The default target is gfx1151. The
/// default device is software, for targets of AMD (the emulator) and of NVIDIA (the simulator).
/// Error: an unknown target or device, or a device that does not run kernels of the target.
std::expected<RunPlace, Stop> open_run_place(const RunArguments& arguments);

/// Turns a failed launch into a Stop. The status is 1 if the launch had begun, and 2 if it was
/// refused.
Stop launch_stop(const runtime::Failure& failure);

/// Prints why the command ended early, in the format of the command's report. Returns the exit
/// status.
int stopped(const Stop& stop, const RunArguments& arguments);

}  // namespace heddle::tool
