// An imitation of CUDA's driver library for tests: the functions that
// runtime/device/cuda_device.cpp opens, over host memory, with kernels run by the simulator of PTX.
// It shows that the calls come in the right order with the right arguments; it shows nothing about
// hardware.
#include "emulator/ptx/ptx.h"
#include "tests/runtime/device/imitation.h"

using namespace heddle;
using namespace heddle::imitation;

namespace {

struct Loaded {
  emulator::ptx::Module module;
};
struct Attribute {
  int id, padding;
  std::uint32_t value[16];
};
struct Configuration {
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  Attribute* attributes;
  unsigned attribute_count;
};

}  // namespace

EXPORTED int cuInit(unsigned flags) { return called("cuInit", std::to_string(flags)); }
EXPORTED int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
EXPORTED int cuDeviceGetCount(int* count) {
  *count = std::atoi(setting("HEDDLE_IMITATION_GPUS", "1"));
  return called("cuDeviceGetCount");
}
EXPORTED int cuDeviceGet(int* device, int number) {
  *device = number;
  return called("cuDeviceGet", std::to_string(number));
}
EXPORTED int cuDeviceGetName(char* name, int, int) {
  std::strcpy(name, "an imitation");
  return called("cuDeviceGetName");
}
EXPORTED int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 9 : 0;
  return called("cuDeviceGetAttribute", std::to_string(attribute));
}
EXPORTED int cuDevicePrimaryCtxRetain(void** context, int) {
  static int it;
  *context = &it;
  return called("cuDevicePrimaryCtxRetain");
}
EXPORTED int cuDevicePrimaryCtxRelease_v2(int) { return called("cuDevicePrimaryCtxRelease_v2"); }
EXPORTED int cuCtxSetCurrent(void*) { return called("cuCtxSetCurrent"); }
EXPORTED int cuModuleLoadDataEx(void** module, const void* image, unsigned options,
                                const int* names, void** values) {
  if (const int result = called("cuModuleLoadDataEx"); result != 0) {
    for (unsigned i = 0; i < options; ++i)
      if (names[i] == 5)
        std::strcpy(static_cast<char*>(values[i]), "line 7: the imitation's log\n");
    return result;
  }
  auto read = emulator::ptx::Module::parse(static_cast<const char*>(image));
  if (!read) return 218;
  *module = new Loaded{*std::move(read)};
  return 0;
}
EXPORTED int cuModuleUnload(void* module) {
  delete static_cast<Loaded*>(module);
  return called("cuModuleUnload");
}
EXPORTED int cuModuleGetFunction(void** function, void* module, const char* name) {
  *function = Function<Loaded>::of(module, name);
  return called("cuModuleGetFunction", name);
}
EXPORTED int cuFuncSetAttribute(void*, int attribute, int value) {
  return called("cuFuncSetAttribute", std::to_string(attribute) + " " + std::to_string(value));
}
EXPORTED int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  const int result = called("cuMemAlloc_v2", std::to_string(bytes));
  if (result != 0) return result;
  *address = reinterpret_cast<std::uint64_t>(allocate(bytes));
  return 0;
}
EXPORTED int cuMemFree_v2(std::uint64_t address) {
  release(reinterpret_cast<void*>(address));
  return called("cuMemFree_v2");
}
EXPORTED int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  const int result = called("cuMemcpyHtoD_v2", std::to_string(bytes));
  if (result == 0) std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return result;
}
EXPORTED int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  const int result = called("cuMemcpyDtoH_v2", std::to_string(bytes));
  if (result == 0) std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return result;
}
EXPORTED int cuLaunchKernelEx(const Configuration* configuration, void* function, void** parameters,
                              void** extra) {
  const auto& [module, name] = *static_cast<Function<Loaded>*>(function);
  const auto& [grid, block, shared, stream, attributes, count] = *configuration;
  const auto listed = [](const auto& x) {
    return std::to_string(x[0]) + "," + std::to_string(x[1]) + "," + std::to_string(x[2]);
  };
  std::string text = name + " " + listed(grid) + " " + listed(block) + " " + std::to_string(shared);
  for (unsigned i = 0; i < count; ++i)
    text += " attribute " + std::to_string(attributes[i].id) + " " + listed(attributes[i].value);
  if (const int result = called("cuLaunchKernelEx", text); result != 0) return result;
  if (stream != nullptr || extra != nullptr) return 1;
  emulator::Launch launch;
  launch.kernel = name;
  std::copy_n(grid, 3, launch.grid.begin());
  std::copy_n(block, 3, launch.workgroup.begin());
  launch.dynamic_lds_bytes = shared;
  if (count == 1) std::copy_n(attributes[0].value, 3, launch.cluster.begin());
  add_allocations(launch);
  for (const emulator::KernelArgument& kind : module->module.find_kernel(name)->arguments)
    launch.arguments.push_back(argument_of(kind, *parameters++));
  return emulator::ptx::run(module->module, launch) ? 0 : 700;
}
EXPORTED int cuCtxSynchronize() { return called("cuCtxSynchronize"); }
EXPORTED int cuEventCreate(void** event, unsigned) {
  static int it;
  *event = &it;
  return 0;
}
EXPORTED int cuEventRecord(void*, void*) { return called("cuEventRecord"); }
EXPORTED int cuEventElapsedTime(float* milliseconds, void*, void*) {
  *milliseconds = 2.5f;
  return 0;
}
EXPORTED int cuEventDestroy_v2(void*) { return 0; }
EXPORTED int cuTensorMapEncodeTiled(void* map, int type, std::uint32_t rank, void*,
                                    const std::uint64_t* sizes, const std::uint64_t* strides,
                                    const std::uint32_t* box, const std::uint32_t*, int interleave,
                                    int swizzle, int, int fill) {
  std::memset(map, 0, 128);
  return called("cuTensorMapEncodeTiled",
                "type " + std::to_string(type) + " rank " + std::to_string(rank) + " sizes " +
                    std::to_string(sizes[0]) + "," + std::to_string(sizes[rank - 1]) + " stride " +
                    std::to_string(strides[0]) + " box " + std::to_string(box[0]) + " interleave " +
                    std::to_string(interleave) + " swizzle " + std::to_string(swizzle) + " fill " +
                    std::to_string(fill));
}
EXPORTED int cuGetErrorString(int error, const char** text) {
  *text = error == 999 ? "unknown error" : "an error of the imitation";
  return 0;
}
