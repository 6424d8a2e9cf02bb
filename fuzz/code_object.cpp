// Fuzz target: the reader of code objects, and what it lets through. Any bytes are either refused
// with a sentence or give an object whose kernels run to an end or a fault, with the checker and
// without; whose source lines are found or are not. The emulator never crashes. Kernels get little
// memory, few instructions and one workgroup.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "emulator/run/run.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace heddle::emulator;

void run_kernel(const CodeObject& object, const Kernel& kernel, bool check) {
  std::vector<std::uint32_t> memory(1024, 3);
  Launch launch;
  launch.kernel = kernel.name;
  for (const KernelArgument& argument : kernel.arguments) {
    if (argument.hidden() || argument.size > 4096) continue;
    if (argument.size == 8)  // what the kernel stores to is declared as output
      launch.arguments.push_back(
          Buffer{std::as_writable_bytes(std::span(memory)), "memory", launch.arguments.empty()});
    else
      launch.arguments.push_back(Value(argument.size, std::byte{1}));
  }
  launch.workgroup = {128, 1, 1};
  launch.threads = 1;
  launch.budget.instructions_per_workgroup = 20'000;
  launch.budget.memory_bytes = std::uint64_t{256} << 20;
  launch.check = check;
  const auto report = run(object, launch);
  if (!report && report.error().message.empty()) std::abort();
}

// Where a section's bytes are, of a file that may be any bytes: nothing when its headers lie.
struct Part {
  std::size_t first, size;
};
template <class T>
T number_at(std::span<const std::uint8_t> file, std::size_t place) {
  T value{};
  if (place <= file.size() && file.size() - place >= sizeof value)
    std::memcpy(&value, file.data() + place, sizeof value);
  return value;
}
std::vector<Part> sections_of(std::span<const std::uint8_t> file) {
  constexpr std::size_t header_bytes = 64, place_of_headers = 40, place_of_count = 60;
  const auto headers = number_at<std::uint64_t>(file, place_of_headers);
  const auto count = std::min<std::uint16_t>(number_at<std::uint16_t>(file, place_of_count), 64);
  std::vector<Part> parts;
  for (std::size_t i = 0; i < count && headers < file.size(); ++i) {
    const std::size_t header = headers + i * header_bytes;
    const auto first = number_at<std::uint64_t>(file, header + 24);
    const auto size = number_at<std::uint64_t>(file, header + 32);
    if (size > 0 && first < file.size() && size <= file.size() - first)
      parts.push_back({static_cast<std::size_t>(first), static_cast<std::size_t>(size)});
  }
  return parts;
}

}  // namespace

// Most bytes of a file are padding and symbols. Changes are put into one section, which is code,
// descriptors, metadata or debug information as often as anything else.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  const auto parts = sections_of(std::span(data, size));
  if (parts.empty() || random() % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  const Part part = parts[random() % parts.size()];
  for (unsigned times = 1 + random() % 4; times > 0; --times) {
    std::uint8_t& byte = data[part.first + random() % part.size];
    switch (random() % 4) {
      case 0:
        byte = static_cast<std::uint8_t>(random());
        break;
      case 1:
        byte ^= static_cast<std::uint8_t>(1u << random() % 8);
        break;
      case 2:
        byte = random() % 2 ? 0xff : 0;
        break;
      default:  // another place of the section once more
        byte = data[part.first + random() % part.size];
    }
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto object = CodeObject::load(std::as_bytes(std::span<const std::uint8_t>(data, size)));
  if (!object) {
    if (object.error().empty()) std::abort();  // a refusal without a reason
    return 0;
  }
  for (std::uint64_t address = 0; address < std::min<std::size_t>(object->image().size(), 65536);
       address += 4) {
    if (object->source_line(address).size() > 8192) std::abort();
    if (object->source_callers(address).size() > 2048) std::abort();
  }
  for (const Kernel& kernel : object->kernels())
    for (const bool check : {false, true}) run_kernel(*object, kernel, check);
  return 0;
}
