// An imitation of AMD's HIP library for tests: the functions that runtime/device/hip_device.cpp
// opens, over host memory, with kernels run by the emulator. It shows that the calls come in the
// right order with the right arguments; it shows nothing about hardware.
#include "tests/runtime/device/imitation.h"

using namespace heddle;
using namespace heddle::imitation;

namespace {

struct Loaded {
  emulator::CodeObject object;
};
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

}  // namespace

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
  *function = Function<Loaded>::of(module, name);
  return called("hipModuleGetFunction", name);
}
EXPORTED int hipMalloc(void** address, std::size_t bytes) {
  const int result = called("hipMalloc", std::to_string(bytes));
  if (result != 0) return result;
  *address = allocate(bytes);
  return 0;
}
EXPORTED int hipFree(void* address) {
  release(address);
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
  const auto& [module, name] = *static_cast<Function<Loaded>*>(function);
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
  add_allocations(launch);
  for (const emulator::KernelArgument& kind : module->object.find_kernel(name)->arguments)
    if (!kind.hidden()) launch.arguments.push_back(argument_of(kind, *parameters++));
  return emulator::run(module->object, launch) ? 0 : 700;
}
EXPORTED int hipDeviceSynchronize() { return called("hipDeviceSynchronize"); }
EXPORTED const char* hipGetErrorString(int error) {
  return error == 999 ? "unknown error" : "an error of the imitation";
}
