// An imitation of AMD's HIP library for tests: the functions that runtime/hip_device.cpp opens,
// over host memory, with kernels run by the emulator. Every call is written, one line each, to the
// file that the environment variable HEDDLE_IMITATION_CALLS names. It shows that the calls come in
// the right order with the right arguments; it shows nothing about hardware.
//
// HEDDLE_IMITATION_FAILS names a function that then answers error 999; HEDDLE_IMITATION_GPUS is
// the number of GPUs (1).
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "emulator/launch.h"

using namespace heddle;

namespace {

struct Loaded {
  emulator::CodeObject object;
};
struct Function {
  const Loaded* module;
  std::string name;
};

std::map<std::byte*, std::size_t>& allocations() {
  static std::map<std::byte*, std::size_t> all;
  return all;
}

const char* setting(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

/// Writes the call down; its answer.
int called(const std::string& function, const std::string& arguments = "") {
  const bool fails = function == setting("HEDDLE_IMITATION_FAILS", "");
  if (std::FILE* log = std::fopen(setting("HEDDLE_IMITATION_CALLS", "/dev/null"), "a")) {
    std::fprintf(log, "%s%s%s%s\n", function.c_str(), arguments.empty() ? "" : " ",
                 arguments.c_str(), fails ? " FAILS" : "");
    std::fclose(log);
  }
  return fails ? 999 : 0;
}

/// The size of an ELF file from its own header: the API takes none. e_shoff, e_shentsize and
/// e_shnum: the section table is last in what lld writes.
std::size_t elf_bytes(const void* image) {
  const auto* bytes = static_cast<const char*>(image);
  std::uint64_t table = 0;
  std::uint16_t size = 0, count = 0;
  std::memcpy(&table, bytes + 0x28, 8);
  std::memcpy(&size, bytes + 0x3a, 2);
  std::memcpy(&count, bytes + 0x3c, 2);
  return table + std::size_t{size} * count;
}

/// An argument as the kernel gets it: a pointer into an allocation stays one.
emulator::Argument argument_of(const emulator::KernelArgument& kind, const void* place) {
  if (kind.size == 8) {
    std::byte* pointer = nullptr;
    std::memcpy(&pointer, place, 8);
    for (const auto& [first, size] : allocations())
      if (pointer >= first && pointer <= first + size)
        return emulator::BufferAddress{std::to_string(reinterpret_cast<std::uintptr_t>(first)),
                                       static_cast<std::uint64_t>(pointer - first)};
  }
  const auto* bytes = static_cast<const std::byte*>(place);
  return emulator::Value(bytes, bytes + kind.size);
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int hipInit(unsigned flags) { return called("hipInit", std::to_string(flags)); }
EXPORTED int hipRuntimeGetVersion(int* version) {
  *version = 60'342'134;
  return called("hipRuntimeGetVersion");
}
EXPORTED int hipGetDeviceCount(int* count) {
  *count = std::atoi(setting("HEDDLE_IMITATION_GPUS", "1"));
  return called("hipGetDeviceCount");
}
EXPORTED int hipSetDevice(int device) { return called("hipSetDevice", std::to_string(device)); }
EXPORTED int hipGetDevicePropertiesR0600(char* properties, int device) {
  std::strcpy(properties, "an imitation");
  std::strcpy(properties + 1160, "gfx1151:sramecc-");
  return called("hipGetDevicePropertiesR0600", std::to_string(device));
}
EXPORTED int hipModuleLoadData(void** module, const void* image) {
  const std::size_t size = elf_bytes(image);
  auto object = emulator::CodeObject::load({static_cast<const std::byte*>(image), size});
  if (!object) return 200;
  *module = new Loaded{*std::move(object)};
  return called("hipModuleLoadData");
}
EXPORTED int hipModuleUnload(void* module) {
  delete static_cast<Loaded*>(module);
  return called("hipModuleUnload");
}
EXPORTED int hipModuleGetFunction(void** function, void* module, const char* name) {
  static std::map<std::string, std::unique_ptr<Function>> functions;
  auto& found = functions[name];
  found = std::make_unique<Function>(Function{static_cast<Loaded*>(module), name});
  *function = found.get();
  return called("hipModuleGetFunction", name);
}
EXPORTED int hipMalloc(void** address, std::size_t bytes) {
  const int result = called("hipMalloc", std::to_string(bytes));
  if (result != 0) return result;
  *address = std::malloc(bytes);
  allocations()[static_cast<std::byte*>(*address)] = bytes;
  return 0;
}
EXPORTED int hipFree(void* address) {
  allocations().erase(static_cast<std::byte*>(address));
  std::free(address);
  return called("hipFree");
}
EXPORTED int hipMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  const int result = called("hipMemcpy", std::to_string(bytes) + (kind == 1   ? " to the GPU"
                                                                  : kind == 2 ? " from the GPU"
                                                                              : " elsewhere"));
  if (result == 0) std::memcpy(to, from, bytes);
  return result;
}
EXPORTED int hipModuleLaunchKernel(void* function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared_bytes, void* stream,
                                   void** parameters, void** extra) {
  const auto& [module, name] = *static_cast<Function*>(function);
  const std::string sizes = std::to_string(grid_x) + "," + std::to_string(grid_y) + "," +
                            std::to_string(grid_z) + " " + std::to_string(block_x) + "," +
                            std::to_string(block_y) + "," + std::to_string(block_z) + " " +
                            std::to_string(shared_bytes);
  if (const int result = called("hipModuleLaunchKernel", name + " " + sizes); result != 0)
    return result;
  if (stream != nullptr || extra != nullptr) return 1;
  emulator::Launch launch;
  launch.kernel = name;
  launch.grid = {grid_x, grid_y, grid_z};
  launch.workgroup = {block_x, block_y, block_z};
  launch.dynamic_lds_bytes = shared_bytes;
  for (const auto& [first, size] : allocations())
    launch.buffers.push_back(
        {{first, size}, std::to_string(reinterpret_cast<std::uintptr_t>(first))});
  for (const emulator::KernelArgument& kind : module->object.find_kernel(name)->arguments)
    if (!kind.hidden()) launch.arguments.push_back(argument_of(kind, *parameters++));
  return emulator::run(module->object, launch) ? 0 : 700;
}
EXPORTED int hipDeviceSynchronize() { return called("hipDeviceSynchronize"); }
EXPORTED const char* hipGetErrorString(int error) {
  return error == 999 ? "unknown error" : "an error of the imitation";
}
