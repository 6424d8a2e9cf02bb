// Allocations: memory of the device, and memory of the host that kernels can access.
#include <string>

#include "runtime/program/hip/calls.h"
#include "runtime/program/hip/memory_pools.h"

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
           std::to_string(device.bytes_left()) + " left in at most 999 allocations");
      return hipErrorOutOfMemory;
    }
    *place = reinterpret_cast<void*>(made->address);
    return hipSuccess;
  });
}

hipError_t free_memory(void* memory, const char* call) {
  return with_device([&](ProgramDevice& device) {
    note_freed(memory);
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
hipError_t hipExtMallocWithFlags(void** place, std::size_t bytes, unsigned) {
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
hipError_t hipHostAlloc(void** place, std::size_t bytes, unsigned flags) {
  return hipHostMalloc(place, bytes, flags);
}
hipError_t hipMallocHost(void** place, std::size_t bytes) { return hipHostMalloc(place, bytes, 0); }
hipError_t hipMemAllocHost(void** place, std::size_t bytes) {
  return hipHostMalloc(place, bytes, 0);
}
hipError_t hipHostRegister(void* memory, std::size_t bytes, unsigned) {
  return with_device([&](ProgramDevice& device) {
    if (!memory || bytes == 0) return hipErrorInvalidValue;
    if (device.find_registered(memory)) return hipErrorHostMemoryAlreadyRegistered;
    return device.allocate(bytes, MemoryKind::host, static_cast<std::byte*>(memory))
               ? hipSuccess
               : hipErrorOutOfMemory;
  });
}
hipError_t hipHostUnregister(void* memory) {
  return with_device([&](ProgramDevice& device) {
    const Allocation* found = device.find_registered(memory);
    if (!found || found->registered != memory) return hipErrorHostMemoryNotRegistered;
    device.free(reinterpret_cast<void*>(found->address));
    return hipSuccess;
  });
}
hipError_t hipHostGetDevicePointer(void** to, void* host, unsigned) {
  return with_device([&](ProgramDevice& device) {
    if (!to || !host) return hipErrorInvalidValue;
    const Allocation* in = device.find_registered(host);
    *to = device.find(host) ? host : nullptr;
    if (in) {
      const auto offset =
          static_cast<std::uint64_t>(static_cast<std::byte*>(host) - in->registered);
      *to = reinterpret_cast<void*>(in->address + offset);
    }
    return *to ? hipSuccess : hipErrorInvalidValue;
  });
}
hipError_t hipHostGetFlags(unsigned* flags, void* host) {
  return with_device([&](ProgramDevice& device) {
    if (!flags || !device.find(host)) return hipErrorInvalidValue;
    *flags = hipHostMallocDefault;
    return hipSuccess;
  });
}
hipError_t hipFree(void* memory) { return free_memory(memory, "hipFree"); }
hipError_t hipHostFree(void* memory) { return free_memory(memory, "hipHostFree"); }
hipError_t hipFreeHost(void* memory) { return free_memory(memory, "hipFreeHost"); }
hipError_t hipMemGetAddressRange(hipDeviceptr_t* first, std::size_t* bytes, hipDeviceptr_t inside) {
  return with_device([&](ProgramDevice& device) {
    const Allocation* in = device.find(inside);
    if (!in) return hipErrorNotFound;
    if (first) *first = reinterpret_cast<void*>(in->address);
    if (bytes) *bytes = in->bytes;
    return hipSuccess;
  });
}
hipError_t hipMemPtrGetInfo(void* memory, std::size_t* bytes) {
  if (!bytes) return result(hipErrorInvalidValue);
  return hipMemGetAddressRange(nullptr, bytes, memory);
}
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* memory) {
  return with_device([&](ProgramDevice& device) {
    *attributes = {};
    const Allocation* in = device.find(memory);
    if (!in) in = device.find_registered(memory);
    if (!in) return hipErrorInvalidValue;
    attributes->type = in->kind == MemoryKind::device ? hipMemoryTypeDevice
                       : in->kind == MemoryKind::host ? hipMemoryTypeHost
                                                      : hipMemoryTypeManaged;
    attributes->device = static_cast<int>(in->device);
    attributes->devicePointer = const_cast<void*>(memory);
    if (in->kind != MemoryKind::device) attributes->hostPointer = const_cast<void*>(memory);
    if (in->registered) {
      const std::uint64_t given = reinterpret_cast<std::uint64_t>(memory);
      const bool is_device = given - in->address < in->bytes;
      const std::uint64_t inside =
          given - (is_device ? in->address : reinterpret_cast<std::uint64_t>(in->registered));
      attributes->devicePointer = reinterpret_cast<void*>(in->address + inside);
      attributes->hostPointer = in->registered + inside;
    }
    attributes->isManaged = in->kind == MemoryKind::managed;
    return hipSuccess;
  });
}
hipError_t hipMemPrefetchAsync(const void*, std::size_t, int, hipStream_t) { return hipSuccess; }
hipError_t hipMemAdvise(const void*, std::size_t, hipMemoryAdvise, int) { return hipSuccess; }
}
