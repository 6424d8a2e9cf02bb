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

}  // namespace

extern "C" {

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
  *value = value_of(attribute, p);
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
}
