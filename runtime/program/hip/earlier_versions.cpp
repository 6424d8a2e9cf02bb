// HIP 6 has changed the structures of some functions. Here are these functions with the structures
// of HIP 5. Only programs that were built for HIP 5 or earlier call them. Sources that include
// Heddle's headers get HIP 6's functions (without_rocm/device_properties.h). Source:
// hip_runtime_api.h of HIP 5.2, struct hipDeviceProp_t.
#include <algorithm>
#include <cstring>

#include "runtime/program/hip/calls.h"
#include "runtime/program/hip/properties.h"

#undef hipDeviceProp_t
#undef hipGetDeviceProperties
#undef hipChooseDevice

namespace {

struct PropertiesOfHip5 {
  char name[256];
  std::size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate,
      memoryClockRate, memoryBusWidth;
  std::size_t totalConstMem;
  int major, minor, multiProcessorCount, l2CacheSize, maxThreadsPerMultiProcessor, computeMode,
      clockInstructionRate;
  hipDeviceArch_t arch;
  int concurrentKernels, pciDomainID, pciBusID, pciDeviceID;
  std::size_t maxSharedMemoryPerMultiProcessor;
  int isMultiGpuBoard, canMapHostMemory, gcnArch;
  char gcnArchName[256];
  int integrated, cooperativeLaunch, cooperativeMultiDeviceLaunch, maxTexture1DLinear, maxTexture1D,
      maxTexture2D[2], maxTexture3D[3];
  unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
  std::size_t memPitch, textureAlignment, texturePitchAlignment;
  int kernelExecTimeoutEnabled, ECCEnabled, tccDriver, cooperativeMultiDeviceUnmatchedFunc,
      cooperativeMultiDeviceUnmatchedGridDim, cooperativeMultiDeviceUnmatchedBlockDim,
      cooperativeMultiDeviceUnmatchedSharedMem, isLargeBar, asicRevision, managedMemory,
      directManagedMemAccessFromHost, concurrentManagedAccess, pageableMemoryAccess,
      pageableMemoryAccessUsesHostPageTables;
};
static_assert(sizeof(PropertiesOfHip5) == 792);

template <class To, class From>
void assign(To& to, const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  std::memcpy(&to, &from, sizeof to);
}

void convert(PropertiesOfHip5& to, const hipDeviceProp_tR0600& from) {
  to = {};
#define HEDDLE_SAME(member) assign(to.member, from.member);
  HEDDLE_SAME(name)
  HEDDLE_SAME(totalGlobalMem)
  HEDDLE_SAME(sharedMemPerBlock)
  HEDDLE_SAME(regsPerBlock)
  HEDDLE_SAME(warpSize)
  HEDDLE_SAME(maxThreadsPerBlock)
  HEDDLE_SAME(maxThreadsDim)
  HEDDLE_SAME(maxGridSize)
  HEDDLE_SAME(clockRate)
  HEDDLE_SAME(memoryClockRate)
  HEDDLE_SAME(memoryBusWidth)
  HEDDLE_SAME(totalConstMem)
  HEDDLE_SAME(major)
  HEDDLE_SAME(minor)
  HEDDLE_SAME(multiProcessorCount)
  HEDDLE_SAME(l2CacheSize)
  HEDDLE_SAME(maxThreadsPerMultiProcessor)
  HEDDLE_SAME(clockInstructionRate)
  HEDDLE_SAME(arch)
  HEDDLE_SAME(concurrentKernels)
  HEDDLE_SAME(pciDomainID)
  HEDDLE_SAME(pciBusID)
  HEDDLE_SAME(pciDeviceID)
  HEDDLE_SAME(maxSharedMemoryPerMultiProcessor)
  HEDDLE_SAME(canMapHostMemory)
  HEDDLE_SAME(gcnArch)
  HEDDLE_SAME(gcnArchName)
  HEDDLE_SAME(integrated)
  HEDDLE_SAME(cooperativeLaunch)
  HEDDLE_SAME(maxTexture1DLinear)
  HEDDLE_SAME(maxTexture1D)
  HEDDLE_SAME(maxTexture2D)
  HEDDLE_SAME(maxTexture3D)
  HEDDLE_SAME(memPitch)
  HEDDLE_SAME(textureAlignment)
  HEDDLE_SAME(texturePitchAlignment)
  HEDDLE_SAME(managedMemory)
  HEDDLE_SAME(directManagedMemAccessFromHost)
  HEDDLE_SAME(concurrentManagedAccess)
  HEDDLE_SAME(pageableMemoryAccess)
  HEDDLE_SAME(pageableMemoryAccessUsesHostPageTables)
#undef HEDDLE_SAME
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
hipError_t hipGetDeviceProperties(PropertiesOfHip5* properties, int device) {
  hipDeviceProp_tR0600 now;
  const hipError_t error = hipGetDevicePropertiesR0600(&now, device);
  if (error == hipSuccess) convert(*properties, now);
  return error;
}
}
#pragma GCC visibility pop
