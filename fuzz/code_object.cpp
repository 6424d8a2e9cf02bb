// Fuzz target: the reader of code objects, and what it lets through. Any bytes are either refused
// with a sentence or give an object whose kernels run to an end or a fault; the emulator never
// crashes. Kernels get no arguments' memory, few instructions and one workgroup.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "emulator/launch.h"

namespace {

using namespace heddle::emulator;

void run_kernel(const CodeObject& object, const Kernel& kernel) {
  Launch launch;
  launch.kernel = kernel.name;
  for (const KernelArgument& argument : kernel.arguments)
    if (!argument.hidden() && argument.size <= 4096)
      launch.arguments.push_back(Value(argument.size, std::byte{1}));
  launch.workgroup = {64, 1, 1};
  launch.threads = 1;
  launch.budget.instructions_per_workgroup = 2000;
  const auto report = run(object, launch);
  if (!report && report.error().message.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto object = CodeObject::load(std::as_bytes(std::span<const std::uint8_t>(data, size)));
  if (!object) {
    if (object.error().message.empty()) std::abort();  // a refusal without a reason
    return 0;
  }
  for (const Kernel& kernel : object->kernels()) run_kernel(*object, kernel);
  return 0;
}
