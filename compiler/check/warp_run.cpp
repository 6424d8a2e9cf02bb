#include "compiler/check/warp_run.h"

namespace heddle::compiler {
namespace {

emulator::Value i32(std::int64_t value) {
  return emulator::value(static_cast<std::int32_t>(value));
}

/// Appends to `parameters` the kernel's parameters for one argument of the function (see
/// compiler/warp_kernel/wrapper.h). `bound` is the argument with all its sizes; `open` is the same
/// argument as the text has it, where sizes may be missing.
void bind(const WarpArgument& open, const WarpArgument& bound, std::vector<std::byte>& memory,
          std::vector<emulator::Argument>& parameters) {
  if (!bound.is_memref) {
    parameters.emplace_back(i32(*bound.index));
    return;
  }
  parameters.emplace_back(emulator::Buffer{memory, bound.name});
  if (!open.offset) parameters.emplace_back(i32(*bound.offset));
  for (std::size_t dim = 0; dim < open.sizes.size(); ++dim)
    if (!open.sizes[dim]) parameters.emplace_back(i32(*bound.sizes[dim]));
  for (std::size_t dim = 0; dim < open.strides.size(); ++dim)
    if (!open.strides[dim]) parameters.emplace_back(i32(*bound.strides[dim]));
}

}  // namespace

std::vector<emulator::Argument> warp_kernel_arguments(const WarpCompilation& compiled,
                                                      const WarpCase& trial,
                                                      std::vector<std::vector<std::byte>>& memory) {
  std::vector<emulator::Argument> parameters;
  for (std::size_t i = 0; i < trial.arguments.size(); ++i)
    bind(compiled.arguments[i], trial.arguments[i], memory[i], parameters);
  return parameters;
}

std::expected<WarpRun, runtime::Failure> run_warp_kernel(runtime::Device& device,
                                                         const WarpCompilation& compiled,
                                                         const WarpCase& trial,
                                                         const emulator::Budget& budget) {
  auto module = device.load(std::as_bytes(std::span(compiled.object)));
  if (!module) return std::unexpected(module.error());
  WarpRun run;
  run.results = trial.memory;
  emulator::Launch launch;
  launch.kernel = compiled.kernel_name;
  launch.workgroup = {static_cast<std::uint32_t>(compiled.threads), 1, 1};
  launch.threads = 1;
  launch.budget = budget;
  launch.arguments = warp_kernel_arguments(compiled, trial, run.results);
  auto report = (*module)->launch(launch);
  if (!report) return std::unexpected(report.error());
  run.report = *std::move(report);
  return run;
}

}  // namespace heddle::compiler
