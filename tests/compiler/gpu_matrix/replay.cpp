// Runs recorded launches on an NVIDIA GPU: `replay LAUNCHES ANSWERS [PART PARTS]`. Of several
// parts, which may run at the same time, each does every PARTS-th launch. Needs libfmt and the
// driver's libcuda, and of Heddle the device alone: neither LLVM nor MLIR.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "recorded_launch.h"
#include "runtime/device/device.h"

namespace {

namespace emulator = heddle::emulator;
namespace recorded = heddle::recorded;
namespace runtime = heddle::runtime;

// Bytes before and behind every buffer, which no kernel may touch.
constexpr std::size_t guard_bytes = 1024;
constexpr auto guard_byte = std::byte{0x5a};

using Bytes = std::vector<std::byte>;

std::string name_of(std::size_t buffer) { return "buffer " + std::to_string(buffer); }

Bytes guarded(const std::string& content) {
  Bytes all(content.size() + 2 * guard_bytes, guard_byte);
  std::transform(content.begin(), content.end(), all.begin() + guard_bytes,
                 [](char c) { return static_cast<std::byte>(c); });
  return all;
}

emulator::Argument bound(const recorded::Argument& argument) {
  if (argument.kind == recorded::Kind::value) {
    const auto* first = reinterpret_cast<const std::byte*>(argument.value.data());
    return emulator::Value(first, first + argument.value.size());
  }
  if (argument.kind == recorded::Kind::address)
    return emulator::BufferAddress{name_of(argument.buffer), guard_bytes};
  return emulator::TensorMap{
      .buffer = name_of(argument.buffer),
      .offset = guard_bytes + argument.offset,
      .element = static_cast<heddle::instruction::ElementType>(argument.element),
      .sizes = argument.sizes,
      .strides = argument.strides,
      .box = {argument.box.begin(), argument.box.end()},
      .swizzle_bytes = static_cast<std::uint32_t>(argument.swizzle_bytes)};
}

std::array<std::uint32_t, 3> narrow(const std::array<std::uint64_t, 3>& sizes) {
  return {static_cast<std::uint32_t>(sizes[0]), static_cast<std::uint32_t>(sizes[1]),
          static_cast<std::uint32_t>(sizes[2])};
}

// What the kernel did to what it must not change, or its results.
std::string collect(const recorded::Launch& launch, const std::vector<Bytes>& before,
                    const std::vector<Bytes>& after, recorded::Answer& answer) {
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto is_same = [&](std::size_t first, std::size_t count) {
      return std::equal(before[i].data() + first, before[i].data() + first + count,
                        after[i].data() + first);
    };
    const std::size_t inside = after[i].size() - 2 * guard_bytes;
    if (!is_same(0, guard_bytes) || !is_same(guard_bytes + inside, guard_bytes))
      return "the kernel wrote outside " + name_of(i);
    if (!launch.buffers[i].is_result) {
      if (!is_same(guard_bytes, inside)) return "the kernel wrote into " + name_of(i);
      continue;
    }
    const auto* first = reinterpret_cast<const char*>(after[i].data() + guard_bytes);
    answer.buffers.emplace_back(first, inside);
  }
  return "";
}

std::string execute(runtime::Device& device, const recorded::Launch& recorded,
                    recorded::Answer& answer) {
  if (recorded.ptx.empty()) return "not compiled";
  const auto module = device.load(std::as_bytes(std::span(recorded.ptx)));
  if (!module) return module.error().message;
  std::vector<Bytes> before;
  for (const recorded::Buffer& buffer : recorded.buffers)
    before.push_back(guarded(buffer.content()));
  std::vector<Bytes> after = before;
  emulator::Launch launch;
  launch.kernel = recorded.kernel;
  launch.grid = narrow(recorded.grid);
  launch.workgroup = narrow(recorded.block);
  launch.dynamic_lds_bytes = static_cast<std::uint32_t>(recorded.dynamic_shared_bytes);
  for (std::size_t i = 0; i < after.size(); ++i)
    launch.buffers.push_back(emulator::Buffer{after[i], name_of(i)});
  for (const recorded::Argument& argument : recorded.arguments)
    launch.arguments.push_back(bound(argument));
  if (const auto report = (*module)->launch(launch); !report) return report.error().message;
  return collect(recorded, before, after, answer);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3 && count != 5) {
    std::fprintf(stderr, "usage: replay LAUNCHES ANSWERS [PART PARTS]\n");
    return 2;
  }
  const std::size_t part = count == 5 ? std::strtoul(arguments[3], nullptr, 10) : 0;
  const std::size_t parts = count == 5 ? std::strtoul(arguments[4], nullptr, 10) : 1;
  auto device = runtime::open_cuda_device(0);
  if (!device || parts == 0) {
    std::fprintf(stderr, "replay: %s\n", device ? "no parts" : device.error().message.c_str());
    return 2;
  }
  recorded::Writer file(arguments[2]);
  const std::string description = (*device)->description();
  file.text(description);
  const std::vector<recorded::Launch> launches = recorded::read_launches(arguments[1]);
  std::size_t done = 0, failed = 0;
  for (std::size_t i = part; i < launches.size(); i += parts) {
    if (launches[i].ptx.empty()) continue;  // not chosen
    recorded::Answer answer;
    answer.launch = i;
    answer.error = execute(**device, launches[i], answer);
    recorded::write(file, answer);
    ++done;
    if (answer.error.empty()) continue;
    ++failed;
    std::printf("%s: %s\n", launches[i].name.c_str(), answer.error.c_str());
    // A kernel that was stopped leaves a context that refuses all that follows.
    device->reset();
    device = runtime::open_cuda_device(0);
    if (!device) break;
  }
  std::printf("%s: %zu launches, %zu did not run\n", description.c_str(), done, failed);
  return file.good() ? 0 : 2;
}
