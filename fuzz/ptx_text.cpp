// Any text is read as PTX or refused at a place inside it; what is read is run for a little while
// and ends, well or with a fault.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "emulator/ptx/ptx.h"

namespace {

using namespace heddle::emulator;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto module = ptx::Module::parse(text);
  if (!module) {
    unsigned line = 0, column = 0;
    require(std::sscanf(module.error().c_str(), "%u:%u: ", &line, &column) == 2,
            "an error without a place");
    const auto lines = static_cast<std::size_t>(1 + std::count(text.begin(), text.end(), '\n'));
    require(line >= 1 && line <= lines && column >= 1 && column <= size + 1,
            "an error outside the text");
    return 0;
  }
  (void)module->unknown_instructions();
  std::vector<std::uint32_t> memory(256, 3);
  for (const Kernel& kernel : module->kernels()) {
    if (kernel.lds_bytes > 1 << 16 || kernel.scratch_bytes > 1 << 16) continue;
    Launch launch;
    launch.kernel = kernel.name;
    launch.buffers = {buffer(std::span(memory), "memory")};
    for (const KernelArgument& argument : kernel.arguments) {
      if (argument.size == 8)
        launch.arguments.emplace_back(BufferAddress{"memory", 0});
      else
        launch.arguments.emplace_back(Value(argument.size, std::byte{1}));
    }
    launch.workgroup = {32, 1, 1};
    launch.threads = 1;
    launch.budget.instructions_per_workgroup = 2000;
    const auto report = ptx::run(*module, launch);
    require(report || !report.error().message.empty(), "a fault that says nothing");
  }
  return 0;
}
