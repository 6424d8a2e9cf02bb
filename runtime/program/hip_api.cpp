// HIP's runtime API over ProgramDevice. CUDA's has the same functions under its own names
// (runtime/cuda_without_sdk/cuda_runtime_api.h), so these serve both.
//
// Every call finishes before it returns, so streams hold nothing back.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

#include "hip/hip_runtime_api.h"
#include "runtime/program/device.h"
#include "runtime/program/properties.h"
#include "runtime/program/registration.h"

struct ihipStream_t {
  unsigned flags = 0;
};
struct ihipEvent_t {
  std::chrono::steady_clock::time_point time;
  bool is_recorded = false;
};
struct ihipModule_t;
struct ihipModuleSymbol_t {
  heddle::program::ProgramModule* module;
  const heddle::program::Kernel* kernel;
};

namespace heddle::program {
namespace {

thread_local hipError_t last_error = hipSuccess;
hipError_t broken = hipSuccess;  // after a fault of a kernel: a context of a GPU is lost then

hipError_t result(hipError_t error) {
  if (error != hipSuccess) last_error = error;
  return error;
}

/// Runs `call` on the device with its lock held.
template <class Call>
hipError_t with_device(Call call) {
  ProgramDevice* const device = ProgramDevice::get();
  if (!device) return result(hipErrorNoDevice);
  const std::lock_guard lock(device->mutex());
  if (broken != hipSuccess) return result(broken);
  return result(call(*device));
}

struct ErrorRow {
  hipError_t error;
  const char *name, *text;
};
constexpr ErrorRow errors[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorNotInitialized, "hipErrorNotInitialized", "initialization error"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration",
     "invalid configuration argument"},
    {hipErrorInvalidSymbol, "hipErrorInvalidSymbol", "invalid device symbol"},
    {hipErrorInvalidDevicePointer, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {hipErrorInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {hipErrorInvalidDeviceFunction, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidImage, "hipErrorInvalidImage", "device kernel image is invalid"},
    {hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu",
     "no kernel image is available for execution on the device"},
    {hipErrorPeerAccessUnsupported, "hipErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {hipErrorFileNotFound, "hipErrorFileNotFound", "file not found"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    {hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    {hipErrorIllegalAddress, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {hipErrorCooperativeLaunchTooLarge, "hipErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {hipErrorHostMemoryNotRegistered, "hipErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {hipErrorNotSupported, "hipErrorNotSupported", "operation not supported"},
};

const ErrorRow* row_of(hipError_t error) {
  for (const ErrorRow& row : errors)
    if (row.error == error) return &row;
  return nullptr;
}

hipError_t copy(void* to, const void* from, std::uint64_t bytes, hipMemcpyKind kind,
                const char* call) {
  return with_device([&](ProgramDevice& device) {
    if (bytes == 0) return hipSuccess;
    if (!to || !from || kind < hipMemcpyHostToHost || kind > hipMemcpyDefault)
      return hipErrorInvalidValue;
    const auto target = device.find_place(to, bytes, call);
    const auto source = device.find_place(from, bytes, call);
    if (!target || !source) return hipErrorInvalidValue;
    // A GPU copies by the pointers' own kinds or fails; one of the two is a mistake in any case.
    const auto is_host = [](const Place& place) {
      return !place.is_device || (place.allocation && place.allocation->kind != MemoryKind::device);
    };
    const bool to_host = kind == hipMemcpyDeviceToHost || kind == hipMemcpyHostToHost;
    const bool from_host = kind == hipMemcpyHostToDevice || kind == hipMemcpyHostToHost;
    if (kind != hipMemcpyDefault &&
        ((to_host && !is_host(*target)) || (from_host && !is_host(*source)) ||
         (!to_host && !target->is_device) || (!from_host && !source->is_device))) {
      device.tell_mistake(std::string(call) +
                          ": the pointers are not of the kinds that the copy's direction says");
      return hipErrorInvalidValue;
    }
    device.copy(*target, *source, bytes);
    return hipSuccess;
  });
}

hipError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t height, hipMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) return result(hipErrorInvalidPitchValue);
  for (std::size_t i = 0; i < height; ++i)
    if (const hipError_t error =
            copy(static_cast<char*>(to) + i * to_pitch,
                 static_cast<const char*>(from) + i * from_pitch, width, kind, "hipMemcpy2D");
        error != hipSuccess)
      return error;
  return hipSuccess;
}

template <class T>
hipError_t fill(void* to, T value, std::uint64_t count, const char* call) {
  return with_device([&](ProgramDevice& device) {
    if (count == 0) return hipSuccess;
    if (!to || count > device_bytes) return hipErrorInvalidValue;
    const auto place = device.find_place(to, count * sizeof(T), call);
    if (!place || !place->is_device) return hipErrorInvalidValue;
    for (std::uint64_t i = 0; sizeof(T) > 1 && i < count; ++i)
      std::memcpy(place->host + i * sizeof(T), &value, sizeof(T));
    if (sizeof(T) == 1)
      device.fill(*place, static_cast<unsigned char>(value), count);
    else
      device.note_written(*place, count * sizeof(T));
    return hipSuccess;
  });
}

hipError_t allocate(void** place, std::uint64_t bytes, MemoryKind kind) {
  return with_device([&](ProgramDevice& device) {
    if (!place) return hipErrorInvalidValue;
    *place = nullptr;
    if (bytes == 0) return hipSuccess;
    const Allocation* made = device.allocate(bytes, kind);
    if (!made) {
      tell(std::to_string(bytes) + " bytes are asked for, and the device has " +
           std::to_string(device.bytes_left()) + " left in at most 1000 allocations");
      return hipErrorOutOfMemory;
    }
    *place = reinterpret_cast<void*>(made->address);
    return hipSuccess;
  });
}

hipError_t free_memory(void* memory, const char* call) {
  return with_device([&](ProgramDevice& device) {
    if (!memory || device.free(memory)) return hipSuccess;
    device.tell_mistake(std::string(call) +
                        ": a pointer that no allocation gave, or that is freed already");
    return hipErrorInvalidValue;
  });
}

/// "call: kernel NAME …" with what heddle said.
hipError_t launched(const ProgramDevice& device, const LaunchOutcome& outcome) {
  if (outcome.status == Status::done) return hipSuccess;
  if (outcome.status == Status::refused) {
    device.tell_mistake(outcome.message);
    return hipErrorInvalidConfiguration;
  }
  broken = outcome.message == "address" ? hipErrorIllegalAddress : hipErrorLaunchFailure;
  return broken;
}

std::array<std::uint32_t, 3> sizes(dim3 size) { return {size.x, size.y, size.z}; }

hipError_t launch(ProgramDevice& device, ProgramModule& module, const Kernel& kernel, dim3 grid,
                  dim3 block, std::size_t lds_bytes, const std::string& arguments,
                  bool is_cooperative = false) {
  if (lds_bytes > UINT32_MAX) return hipErrorInvalidConfiguration;
  return launched(device,
                  device.launch(module, kernel, sizes(grid), sizes(block),
                                static_cast<std::uint32_t>(lds_bytes), arguments, is_cooperative));
}

std::string packed(const Kernel& kernel, void** arguments) {
  std::string bytes(kernel.argument_bytes, '\0');
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const Argument& argument = kernel.arguments[i];
    if (argument.offset + std::uint64_t{argument.bytes} > bytes.size()) continue;
    std::memcpy(bytes.data() + argument.offset, arguments[i], argument.bytes);
  }
  return bytes;
}

const RegisteredKernel* find_kernel(ProgramDevice& device, const void* function,
                                    hipError_t& error) {
  const RegisteredKernel* known = registered_kernel(function);
  error = hipErrorInvalidDeviceFunction;
  if (!known) {
    device.tell_mistake("a launch of a function that is no kernel of this program");
    return nullptr;
  }
  if (device.load(*known->module)) return known;
  error = hipErrorNoBinaryForGpu;
  return nullptr;
}

/// All blocks of a cooperative launch are on the device at a time.
bool fits_at_once(const ProgramDevice& device, const Kernel& kernel, dim3 grid, dim3 block,
                  std::size_t lds_bytes) {
  const auto threads =
      static_cast<int>(std::min<std::uint64_t>(1024, std::uint64_t{block.x} * block.y * block.z));
  const std::uint64_t most = std::uint64_t{compute_units} * blocks_of(kernel, threads, lds_bytes);
  const double blocks = double{1} * grid.x * grid.y * grid.z;
  if (blocks <= static_cast<double>(most)) return true;
  device.tell_mistake("a cooperative launch of " +
                      std::to_string(static_cast<std::uint64_t>(blocks)) +
                      " blocks; of this kernel the device holds " + std::to_string(most) +
                      " at a time (hipOccupancyMaxActiveBlocksPerMultiprocessor)");
  return false;
}

// While it exists, a mistake is one of a launch that the compiler has written (MistakeRequest).
class LaunchOfCompiler {
 public:
  LaunchOfCompiler(ProgramDevice& device, bool is) : device_(device) { device.set_launching(is); }
  ~LaunchOfCompiler() { device_.set_launching(false); }
  LaunchOfCompiler(const LaunchOfCompiler&) = delete;
  LaunchOfCompiler& operator=(const LaunchOfCompiler&) = delete;

 private:
  ProgramDevice& device_;
};

hipError_t launch_function(const void* function, dim3 grid, dim3 block, void** arguments,
                           std::size_t lds_bytes, bool is_cooperative = false,
                           bool is_of_compiler = false) {
  return with_device([&](ProgramDevice& device) {
    const LaunchOfCompiler launching(device, is_of_compiler);
    hipError_t error;
    const RegisteredKernel* known = find_kernel(device, function, error);
    if (!known) return error;
    const Kernel* kernel = known->module->find_kernel(known->name);
    if (!kernel) return hipErrorInvalidDeviceFunction;
    if (is_cooperative && !fits_at_once(device, *kernel, grid, block, lds_bytes))
      return hipErrorCooperativeLaunchTooLarge;
    return launch(device, *known->module, *kernel, grid, block, lds_bytes,
                  packed(*kernel, arguments), is_cooperative);
  });
}

hipError_t find_symbol(const void* symbol, const Variable*& variable, ProgramModule*& module) {
  return with_device([&](ProgramDevice& device) {
    const RegisteredVariable* known = registered_variable(symbol);
    if (!known || !device.load(*known->module)) return hipErrorInvalidSymbol;
    module = known->module;
    variable = module->find_variable(known->name);
    if (!variable) return hipErrorInvalidSymbol;
    device.note_symbol(*variable, *module);
    return hipSuccess;
  });
}

}  // namespace
}  // namespace heddle::program

using namespace heddle::program;

extern "C" {

hipError_t hipInit(unsigned) {
  return with_device([](ProgramDevice&) { return hipSuccess; });
}
hipError_t hipGetLastError() { return std::exchange(last_error, broken); }
hipError_t hipPeekAtLastError() { return last_error; }
const char* hipGetErrorName(hipError_t error) {
  const ErrorRow* row = row_of(error);
  if (!row) return "hipErrorUnknown";
  static thread_local std::string name;
  const ProgramDevice* device = ProgramDevice::get();
  if (!device || !device->is_nvidia()) return row->name;
  name = "cuda" + std::string(row->name + 3);
  return name.c_str();
}
const char* hipGetErrorString(hipError_t error) {
  const ErrorRow* row = row_of(error);
  return row ? row->text : "unknown error";
}
hipError_t hipDriverGetVersion(int* version) { return hipRuntimeGetVersion(version); }
hipError_t hipRuntimeGetVersion(int* version) {
  *version = HIP_VERSION;
  return hipSuccess;
}

hipError_t hipGetDeviceCount(int* count) {
  *count = ProgramDevice::get() ? 1 : 0;
  return *count ? hipSuccess : result(hipErrorNoDevice);
}
hipError_t hipGetDevice(int* device) {
  *device = 0;
  return hipSuccess;
}
hipError_t hipSetDevice(int device) {
  return result(device == 0 ? hipSuccess : hipErrorInvalidDevice);
}
hipError_t hipSetDeviceFlags(unsigned) { return hipSuccess; }
hipError_t hipDeviceReset() { return hipSuccess; }
hipError_t hipDeviceSynchronize() {
  return with_device([](ProgramDevice&) { return hipSuccess; });
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int number) {
  return with_device([&](ProgramDevice& device) {
    if (number != 0) return hipErrorInvalidDevice;
    describe(device, *properties);
    return hipSuccess;
  });
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int number) {
  hipDeviceProp_t p;
  if (const hipError_t error = hipGetDeviceProperties(&p, number); error != hipSuccess)
    return error;
  switch (attribute) {
    case hipDeviceAttributeWarpSize:
      *value = p.warpSize;
      break;
    case hipDeviceAttributeMultiprocessorCount:
    case hipDeviceAttributePhysicalMultiProcessorCount:
      *value = p.multiProcessorCount;
      break;
    case hipDeviceAttributeMaxThreadsPerBlock:
    case hipDeviceAttributeMaxBlockDimX:
    case hipDeviceAttributeMaxBlockDimY:
      *value = p.maxThreadsPerBlock;
      break;
    case hipDeviceAttributeMaxBlockDimZ:
      *value = p.maxThreadsDim[2];
      break;
    case hipDeviceAttributeMaxGridDimX:
      *value = p.maxGridSize[0];
      break;
    case hipDeviceAttributeMaxGridDimY:
    case hipDeviceAttributeMaxGridDimZ:
      *value = p.maxGridSize[1];
      break;
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
      *value = static_cast<int>(p.sharedMemPerBlock);
      break;
    case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(p.sharedMemPerMultiprocessor);
      break;
    case hipDeviceAttributeSharedMemPerBlockOptin:
      *value = static_cast<int>(p.sharedMemPerBlockOptin);
      break;
    case hipDeviceAttributeMaxBlocksPerMultiProcessor:
      *value = p.maxBlocksPerMultiProcessor;
      break;
    case hipDeviceAttributeMaxThreadsPerMultiProcessor:
      *value = p.maxThreadsPerMultiProcessor;
      break;
    case hipDeviceAttributeMaxRegistersPerBlock:
      *value = p.regsPerBlock;
      break;
    case hipDeviceAttributeTotalConstantMemory:
      *value = static_cast<int>(p.totalConstMem);
      break;
    case hipDeviceAttributeClockRate:
    case hipDeviceAttributeMemoryClockRate:
    case hipDeviceAttributeWallClockRate:
      *value = p.clockRate;
      break;
    case hipDeviceAttributeMemoryBusWidth:
      *value = p.memoryBusWidth;
      break;
    case hipDeviceAttributeL2CacheSize:
      *value = p.l2CacheSize;
      break;
    case hipDeviceAttributeComputeCapabilityMajor:
      *value = p.major;
      break;
    case hipDeviceAttributeComputeCapabilityMinor:
      *value = p.minor;
      break;
    case hipDeviceAttributeManagedMemory:
    case hipDeviceAttributeConcurrentManagedAccess:
    case hipDeviceAttributeCanMapHostMemory:
    case hipDeviceAttributeUnifiedAddressing:
    case hipDeviceAttributeConcurrentKernels:
    case hipDeviceAttributeCooperativeLaunch:
    case hipDeviceAttributeIntegrated:
      *value = 1;
      break;
    default:
      *value = 0;
  }
  return hipSuccess;
}
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  *device = ordinal;
  return result(ordinal == 0 ? hipSuccess : hipErrorInvalidDevice);
}
hipError_t hipDeviceGetName(char* name, int bytes, hipDevice_t device) {
  hipDeviceProp_t p;
  if (const hipError_t error = hipGetDeviceProperties(&p, device); error != hipSuccess)
    return error;
  std::snprintf(name, static_cast<std::size_t>(bytes), "%s", p.name);
  return hipSuccess;
}
hipError_t hipDeviceTotalMem(std::size_t* bytes, hipDevice_t) {
  *bytes = device_bytes;
  return hipSuccess;
}
hipError_t hipDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return hipSuccess;
}
hipError_t hipDeviceEnablePeerAccess(int, unsigned) { return result(hipErrorInvalidDevice); }
hipError_t hipDeviceDisablePeerAccess(int) { return result(hipErrorInvalidDevice); }
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) { return hipSuccess; }
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig) { return hipSuccess; }
hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = 0;
  return hipSuccess;
}
hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return with_device([&](ProgramDevice& device) {
    if (free) *free = device.bytes_left();
    if (total) *total = device_bytes;
    return hipSuccess;
  });
}

hipError_t hipMalloc(void** place, std::size_t bytes) {
  return allocate(place, bytes, MemoryKind::device);
}
hipError_t hipMallocAsync(void** place, std::size_t bytes, hipStream_t) {
  return allocate(place, bytes, MemoryKind::device);
}
hipError_t hipMallocPitch(void** place, std::size_t* pitch, std::size_t width, std::size_t height) {
  if (width > device_bytes || height > device_bytes) return result(hipErrorOutOfMemory);
  *pitch = (width + 255) / 256 * 256;
  if (*pitch != 0 && height > device_bytes / *pitch) return result(hipErrorOutOfMemory);
  return allocate(place, *pitch * height, MemoryKind::device);
}
hipError_t hipMallocManaged(void** place, std::size_t bytes, unsigned) {
  return allocate(place, bytes, MemoryKind::managed);
}
hipError_t hipHostMalloc(void** place, std::size_t bytes, unsigned) {
  return allocate(place, bytes, MemoryKind::host);
}
// Kernels here cannot see memory that the program already has.
hipError_t hipHostRegister(void* memory, std::size_t, unsigned) {
  return result(memory ? hipSuccess : hipErrorInvalidValue);
}
hipError_t hipHostUnregister(void*) { return hipSuccess; }
hipError_t hipHostGetDevicePointer(void** to, void* host, unsigned) {
  return with_device([&](ProgramDevice& device) {
    const Allocation* in = device.find(host);
    *to = in ? host : nullptr;
    if (in) return hipSuccess;
    tell(
        "hipHostGetDevicePointer: kernels see memory of hipHostMalloc and hipMallocManaged only, "
        "not what hipHostRegister names");
    return hipErrorNotSupported;
  });
}
hipError_t hipFree(void* memory) { return free_memory(memory, "hipFree"); }
hipError_t hipFreeAsync(void* memory, hipStream_t) { return free_memory(memory, "hipFreeAsync"); }
hipError_t hipHostFree(void* memory) { return free_memory(memory, "hipHostFree"); }
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* memory) {
  return with_device([&](ProgramDevice& device) {
    *attributes = {};
    const Allocation* in = device.find(memory);
    if (!in) return hipErrorInvalidValue;
    attributes->type = in->kind == MemoryKind::device ? hipMemoryTypeDevice
                       : in->kind == MemoryKind::host ? hipMemoryTypeHost
                                                      : hipMemoryTypeManaged;
    attributes->devicePointer = const_cast<void*>(memory);
    if (in->kind != MemoryKind::device) attributes->hostPointer = const_cast<void*>(memory);
    attributes->isManaged = in->kind == MemoryKind::managed;
    return hipSuccess;
  });
}
hipError_t hipMemPrefetchAsync(const void*, std::size_t, int, hipStream_t) { return hipSuccess; }
hipError_t hipMemAdvise(const void*, std::size_t, hipMemoryAdvise, int) { return hipSuccess; }

hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
  return copy(to, from, bytes, kind, "hipMemcpy");
}
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                          hipStream_t) {
  return copy(to, from, bytes, kind, "hipMemcpyAsync");
}
hipError_t hipMemcpyWithStream(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                               hipStream_t) {
  return copy(to, from, bytes, kind, "hipMemcpyWithStream");
}
hipError_t hipMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                       std::size_t width, std::size_t height, hipMemcpyKind kind) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
hipError_t hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                            std::size_t from_pitch, std::size_t width, std::size_t height,
                            hipMemcpyKind kind, hipStream_t) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
hipError_t hipMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return copy(to, from, bytes, hipMemcpyDefault, "hipMemcpyPeer");
}
hipError_t hipMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                              hipStream_t) {
  return copy(to, from, bytes, hipMemcpyDefault, "hipMemcpyPeerAsync");
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void* from, std::size_t bytes) {
  return copy(to, from, bytes, hipMemcpyHostToDevice, "hipMemcpyHtoD");
}
hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, std::size_t bytes) {
  return copy(to, from, bytes, hipMemcpyDeviceToHost, "hipMemcpyDtoH");
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t bytes) {
  return copy(to, from, bytes, hipMemcpyDeviceToDevice, "hipMemcpyDtoD");
}
hipError_t hipMemset(void* to, int value, std::size_t bytes) {
  return fill(to, static_cast<unsigned char>(value), bytes, "hipMemset");
}
hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t) {
  return fill(to, static_cast<unsigned char>(value), bytes, "hipMemsetAsync");
}
hipError_t hipMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                       std::size_t height) {
  for (std::size_t i = 0; i < height; ++i)
    if (const hipError_t error = fill(static_cast<char*>(to) + i * pitch,
                                      static_cast<unsigned char>(value), width, "hipMemset2D");
        error != hipSuccess)
      return error;
  return hipSuccess;
}
hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, std::size_t count) {
  return fill(to, value, count, "hipMemsetD8");
}
hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, std::size_t count) {
  return fill(to, value, count, "hipMemsetD16");
}
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, std::size_t count) {
  return fill(to, value, count, "hipMemsetD32");
}

hipError_t hipGetSymbolAddress(void** address, const void* symbol) {
  const Variable* variable = nullptr;
  ProgramModule* module = nullptr;
  const hipError_t error = find_symbol(symbol, variable, module);
  if (error == hipSuccess) *address = reinterpret_cast<void*>(variable->address);
  return error;
}
hipError_t hipGetSymbolSize(std::size_t* bytes, const void* symbol) {
  const Variable* variable = nullptr;
  ProgramModule* module = nullptr;
  const hipError_t error = find_symbol(symbol, variable, module);
  if (error == hipSuccess) *bytes = variable->bytes;
  return error;
}
hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                             std::size_t offset, hipMemcpyKind kind) {
  void* address = nullptr;
  const hipError_t error = hipGetSymbolAddress(&address, symbol);
  if (error != hipSuccess) return error;
  return copy(static_cast<char*>(address) + offset, from, bytes, kind, "hipMemcpyToSymbol");
}
hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                               hipMemcpyKind kind) {
  void* address = nullptr;
  const hipError_t error = hipGetSymbolAddress(&address, symbol);
  if (error != hipSuccess) return error;
  return copy(to, static_cast<char*>(address) + offset, bytes, kind, "hipMemcpyFromSymbol");
}

hipError_t hipStreamCreate(hipStream_t* stream) { return hipStreamCreateWithFlags(stream, 0); }
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  *stream = new ihipStream_t{flags};
  return hipSuccess;
}
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int) {
  return hipStreamCreateWithFlags(stream, flags);
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  if (stream != hipStreamLegacy && stream != hipStreamPerThread) delete stream;
  return hipSuccess;
}
hipError_t hipStreamSynchronize(hipStream_t) { return hipDeviceSynchronize(); }
hipError_t hipStreamQuery(hipStream_t) { return hipDeviceSynchronize(); }
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned) { return hipSuccess; }
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* user,
                                unsigned) {
  callback(stream, hipSuccess, user);
  return hipSuccess;
}
hipError_t hipLaunchHostFunc(hipStream_t, hipHostFn_t function, void* user) {
  function(user);
  return hipSuccess;
}
hipError_t hipEventCreate(hipEvent_t* event) { return hipEventCreateWithFlags(event, 0); }
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned) {
  *event = new ihipEvent_t;
  return hipSuccess;
}
hipError_t hipEventDestroy(hipEvent_t event) {
  delete event;
  return hipSuccess;
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t) {
  if (!event) return result(hipErrorInvalidHandle);
  event->time = std::chrono::steady_clock::now();
  event->is_recorded = true;
  return result(broken);
}
hipError_t hipEventSynchronize(hipEvent_t event) {
  return result(event ? broken : hipErrorInvalidHandle);
}
hipError_t hipEventQuery(hipEvent_t event) { return hipEventSynchronize(event); }
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end) {
  if (!begin || !end || !begin->is_recorded || !end->is_recorded)
    return result(hipErrorInvalidHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return result(broken);
}

hipError_t hipLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                           std::size_t lds_bytes, hipStream_t) {
  return launch_function(kernel, grid, block, arguments, lds_bytes);
}
hipError_t hipLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                      unsigned lds_bytes, hipStream_t) {
  return launch_function(kernel, grid, block, arguments, lds_bytes, true);
}
hipError_t hipExtLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                              std::size_t lds_bytes, hipStream_t stream, hipEvent_t begin,
                              hipEvent_t end, int) {
  if (begin) hipEventRecord(begin, stream);
  const hipError_t error = launch_function(kernel, grid, block, arguments, lds_bytes);
  if (end) hipEventRecord(end, stream);
  return error;
}
// CUDA's compiler calls this name, and HIP's the other.
hipError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                            std::size_t lds_bytes, hipStream_t) {
  return launch_function(kernel, grid, block, arguments, lds_bytes, false, true);
}

hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* function) {
  return with_device([&](ProgramDevice& device) {
    hipError_t error;
    const RegisteredKernel* known = find_kernel(device, function, error);
    if (!known) return error;
    const Kernel* kernel = known->module->find_kernel(known->name);
    if (!kernel) return hipErrorInvalidDeviceFunction;
    *attributes = {};
    attributes->localSizeBytes = kernel->scratch_bytes;
    attributes->sharedSizeBytes = kernel->lds_bytes;
    attributes->numRegs = static_cast<int>(kernel->registers);
    attributes->maxThreadsPerBlock = static_cast<int>(kernel->most_threads);
    attributes->maxDynamicSharedSizeBytes = 65536 - static_cast<int>(kernel->lds_bytes);
    return hipSuccess;
  });
}
hipError_t hipFuncSetAttribute(const void*, hipFuncAttribute, int) { return hipSuccess; }
hipError_t hipFuncSetCacheConfig(const void*, hipFuncCache_t) { return hipSuccess; }
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                        int block, std::size_t lds_bytes) {
  return with_device([&](ProgramDevice& device) {
    hipError_t error;
    const RegisteredKernel* known = find_kernel(device, function, error);
    if (!known) return error;
    const Kernel* kernel = known->module->find_kernel(known->name);
    if (!kernel) return hipErrorInvalidDeviceFunction;
    *blocks = blocks_of(*kernel, block, lds_bytes);
    return hipSuccess;
  });
}
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* function,
                                             std::size_t lds_bytes, int limit) {
  return with_device([&](ProgramDevice& device) {
    hipError_t error;
    const RegisteredKernel* known = find_kernel(device, function, error);
    if (!known) return error;
    const Kernel* kernel = known->module->find_kernel(known->name);
    if (!kernel) return hipErrorInvalidDeviceFunction;
    int best = 0;
    *block = 32;
    const int most = limit > 0 ? std::min(limit, 1024) : static_cast<int>(kernel->most_threads);
    for (int size = 32; size <= most; size += 32)
      if (const int threads = size * blocks_of(*kernel, size, lds_bytes); threads >= best) {
        best = threads;
        *block = size;
      }
    *grid = compute_units * std::max(1, best / *block);
    return hipSuccess;
  });
}

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  return with_device([&](ProgramDevice& device) {
    ProgramModule& made = device.add_module(binary_text(image));
    if (!device.load(made)) {
      device.remove_module(made);
      return hipErrorInvalidImage;
    }
    *module = reinterpret_cast<hipModule_t>(&made);
    return hipSuccess;
  });
}
hipError_t hipModuleLoad(hipModule_t* module, const char* name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) return result(hipErrorFileNotFound);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  return with_device([&](ProgramDevice& device) {
    ProgramModule& made = device.add_module(bytes);
    if (!device.load(made)) {
      device.remove_module(made);
      return hipErrorInvalidImage;
    }
    *module = reinterpret_cast<hipModule_t>(&made);
    return hipSuccess;
  });
}
hipError_t hipModuleUnload(hipModule_t module) {
  return with_device([&](ProgramDevice& device) {
    if (module) device.remove_module(*reinterpret_cast<ProgramModule*>(module));
    return hipSuccess;
  });
}
hipError_t hipModuleGetFunction(hipFunction_t* kernel, hipModule_t module, const char* name) {
  return with_device([&](ProgramDevice&) {
    auto* const in = reinterpret_cast<ProgramModule*>(module);
    const Kernel* found = in && name ? in->find_kernel(name) : nullptr;
    if (!found) return hipErrorNotFound;
    *kernel = new ihipModuleSymbol_t{in, found};
    return hipSuccess;
  });
}
hipError_t hipModuleGetGlobal(hipDeviceptr_t* place, std::size_t* bytes, hipModule_t module,
                              const char* name) {
  return with_device([&](ProgramDevice& device) {
    auto* const in = reinterpret_cast<ProgramModule*>(module);
    const Variable* found = in && name ? in->find_variable(name) : nullptr;
    if (!found) return hipErrorNotFound;
    device.note_symbol(*found, *in);
    if (place) *place = reinterpret_cast<void*>(found->address);
    if (bytes) *bytes = found->bytes;
    return hipSuccess;
  });
}
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned lds_bytes, hipStream_t,
                                 void** arguments, void** extra) {
  return with_device([&](ProgramDevice& device) {
    if (!function) return hipErrorInvalidHandle;
    std::string bytes;
    if (arguments) {
      bytes = packed(*function->kernel, arguments);
    } else if (extra) {
      const void* first = nullptr;
      std::size_t count = 0;
      for (; *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER) first = extra[1];
        if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_SIZE) count = *static_cast<std::size_t*>(extra[1]);
      }
      bytes.assign(function->kernel->argument_bytes, '\0');
      if (first) std::memcpy(bytes.data(), first, std::min(count, bytes.size()));
    }
    return launch(device, *function->module, *function->kernel, dim3(grid_x, grid_y, grid_z),
                  dim3(block_x, block_y, block_z), lds_bytes, bytes);
  });
}
}
