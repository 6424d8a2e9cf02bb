#include "tools/heddle/run/run_place.h"

#include "answers/instruction/processor_argument.h"
#include "library/text/formatted.h"
#include "tools/heddle/host/output.h"

namespace heddle::tool {
namespace {

/// True if a device of this name ("ptx", "cuda:1") runs kernels for NVIDIA.
bool is_of_nvidia(std::string_view device) {
  return device.starts_with("ptx") || device.starts_with("cuda");
}

bool is_of_amd(std::string_view device) {
  return device.starts_with("emulator") || device.starts_with("hip");
}

}  // namespace

std::expected<RunPlace, Stop> open_run_place(const RunArguments& arguments) {
  const auto refused = [](std::string message) {
    return std::unexpected(Stop{2, std::move(message)});
  };
  const bool is_given = !arguments.target.empty();
  const auto target = answers::read_processor(is_given ? arguments.target : "gfx1151");
  if (!target) return refused(target.error());
  const bool nvidia = instruction::is_nvidia(instruction::processor(*target).family);
  const std::string name = nvidia && arguments.device == "emulator" ? "ptx" : arguments.device;
  if (nvidia ? is_of_amd(name) : is_of_nvidia(name))
    return refused(formatted(
        "--device {} runs no kernels for {}{}; accepted: --device {}, or a --target of {}", name,
        instruction::name(*target), is_given ? "" : ", the target unless --target is given",
        nvidia ? "ptx or cuda" : "emulator or hip",
        nvidia ? "AMD, such as gfx1151" : "NVIDIA, such as sm_80"));
  auto device = runtime::Device::open(name);
  if (!device) return refused(device.error().message);
  const std::string processor = (*device)->processor();
  const std::string_view asked = instruction::name(*target);
  const bool fits = processor.empty() || (*device)->is_hardware() ||
                    (nvidia ? runtime::runs_on(asked, processor) : asked == processor);
  if (!fits)
    return refused(formatted("--device {} runs no kernels for {}; accepted: --target {}", name,
                             asked, processor));
  return RunPlace{*target, *std::move(device)};
}

Stop launch_stop(const runtime::Failure& failure) {
  const bool has_run = failure.fault && failure.fault->kind != emulator::FaultKind::bad_launch;
  return {has_run ? 1 : 2, failure.message};
}

int stopped(const Stop& stop, const RunArguments& arguments) {
  refuse(stop.message, arguments.report);
  return stop.status;
}

}  // namespace heddle::tool
