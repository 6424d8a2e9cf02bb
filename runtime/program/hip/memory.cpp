// Memory of the device, and of the host where kernels see it.
#include <string>

#include "runtime/program/hip/calls.h"

namespace heddle::program {
namespace {

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

}  // namespace
}  // namespace heddle::program

using namespace heddle::program;

extern "C" {

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
}
