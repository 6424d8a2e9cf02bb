// The device: its properties and its settings.
#include <cstdio>

#include "runtime/program/hip/calls.h"
#include "runtime/program/hip/properties.h"

using namespace heddle::program;

namespace {

int value_of(hipDeviceAttribute_t attribute, const hipDeviceProp_t& p) {
  switch (attribute) {
    case hipDeviceAttributeWarpSize:
      return p.warpSize;
    case hipDeviceAttributeMultiprocessorCount:
    case hipDeviceAttributePhysicalMultiProcessorCount:
      return p.multiProcessorCount;
    case hipDeviceAttributeMaxThreadsPerBlock:
    case hipDeviceAttributeMaxBlockDimX:
    case hipDeviceAttributeMaxBlockDimY:
      return p.maxThreadsPerBlock;
    case hipDeviceAttributeMaxBlockDimZ:
      return p.maxThreadsDim[2];
    case hipDeviceAttributeMaxGridDimX:
      return p.maxGridSize[0];
    case hipDeviceAttributeMaxGridDimY:
    case hipDeviceAttributeMaxGridDimZ:
      return p.maxGridSize[1];
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
      return static_cast<int>(p.sharedMemPerBlock);
    case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(p.sharedMemPerMultiprocessor);
    case hipDeviceAttributeSharedMemPerBlockOptin:
      return static_cast<int>(p.sharedMemPerBlockOptin);
    case hipDeviceAttributeMaxBlocksPerMultiProcessor:
      return p.maxBlocksPerMultiProcessor;
    case hipDeviceAttributeMaxThreadsPerMultiProcessor:
      return p.maxThreadsPerMultiProcessor;
    case hipDeviceAttributeMaxRegistersPerBlock:
      return p.regsPerBlock;
    case hipDeviceAttributeTotalConstantMemory:
      return static_cast<int>(p.totalConstMem);
    case hipDeviceAttributeClockRate:
    case hipDeviceAttributeMemoryClockRate:
    case hipDeviceAttributeWallClockRate:
      return p.clockRate;
    case hipDeviceAttributeMemoryBusWidth:
      return p.memoryBusWidth;
    case hipDeviceAttributeL2CacheSize:
      return p.l2CacheSize;
    case hipDeviceAttributeComputeCapabilityMajor:
      return p.major;
    case hipDeviceAttributeComputeCapabilityMinor:
      return p.minor;
    case hipDeviceAttributeManagedMemory:
    case hipDeviceAttributeConcurrentManagedAccess:
    case hipDeviceAttributeCanMapHostMemory:
    case hipDeviceAttributeUnifiedAddressing:
    case hipDeviceAttributeConcurrentKernels:
    case hipDeviceAttributeCooperativeLaunch:
    case hipDeviceAttributeIntegrated:
      return 1;
    default:
      return 0;
  }
}

bool is_device(int number) {
  const ProgramDevice* device = ProgramDevice::get();
  return device && number >= 0 && number < static_cast<int>(device->devices());
}

}  // namespace

extern "C" {

hipError_t hipGetDeviceCount(int* count) {
  const ProgramDevice* device = ProgramDevice::get();
  *count = device ? static_cast<int>(device->devices()) : 0;
  return *count ? hipSuccess : result(hipErrorNoDevice);
}
hipError_t hipGetDevice(int* device) {
  *device = static_cast<int>(ProgramDevice::current());
  return hipSuccess;
}
hipError_t hipSetDevice(int device) {
  if (!is_device(device)) return result(hipErrorInvalidDevice);
  ProgramDevice::set_current(static_cast<unsigned>(device));
  return hipSuccess;
}
hipError_t hipSetDeviceFlags(unsigned) { return hipSuccess; }
hipError_t hipDeviceReset() { return hipSuccess; }
hipError_t hipDeviceSynchronize() {
  return with_device([](ProgramDevice&) { return hipSuccess; });
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int number) {
  return with_device([&](ProgramDevice& device) {
    if (!is_device(number)) return hipErrorInvalidDevice;
    describe(device, *properties);
    properties->pciBusID = number + 1;
    return hipSuccess;
  });
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int number) {
  hipDeviceProp_t p;
  if (const hipError_t error = hipGetDeviceProperties(&p, number); error != hipSuccess)
    return error;
  *value = value_of(attribute, p);
  return hipSuccess;
}
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  *device = ordinal;
  return result(is_device(ordinal) ? hipSuccess : hipErrorInvalidDevice);
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
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!is_device(device) || !is_device(peer)) return result(hipErrorInvalidDevice);
  *can = device != peer;
  return hipSuccess;
}
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned) {
  return with_device([&](ProgramDevice& device) {
    const unsigned own = ProgramDevice::current();
    if (!is_device(peer) || peer == static_cast<int>(own)) return hipErrorInvalidDevice;
    return device.set_access(own, static_cast<unsigned>(peer), true)
               ? hipSuccess
               : hipErrorPeerAccessAlreadyEnabled;
  });
}
hipError_t hipDeviceDisablePeerAccess(int peer) {
  return with_device([&](ProgramDevice& device) {
    if (!is_device(peer)) return hipErrorInvalidDevice;
    return device.set_access(ProgramDevice::current(), static_cast<unsigned>(peer), false)
               ? hipSuccess
               : hipErrorPeerAccessNotEnabled;
  });
}
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
}
