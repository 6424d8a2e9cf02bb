// Where `heddle run` runs MLIR text: the processor that it compiles for, and the device.
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

/// Reads --target and --device. Without them kernels are for gfx1151, and run where each vendor's
/// kernels run in software. Error: no such target or device, or one that runs no kernels of the
/// other.
std::expected<RunPlace, Stop> open_run_place(const RunArguments& arguments);

/// What a failed launch says; status 1 of one that began, 2 of one that was refused.
Stop launch_stop(const runtime::Failure& failure);

/// Says why the command ended early, to whoever reads its report. The exit status.
int stopped(const Stop& stop, const RunArguments& arguments);

}  // namespace heddle::tool
