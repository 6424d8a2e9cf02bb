// The part of HIP's runtime API, called by host code, that programs under `heddle run` have
// (docs/programs.md). runtime/program implements it; names and meanings are those of ROCm 6's
// documents.
// Source: "HIP Runtime API Reference", rocm.docs.amd.com/projects/HIP, version 6.4.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "hip_version.h"
#include "without_rocm/device_properties.h"
#include "without_rocm/vectors.h"

typedef enum hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorMemoryAllocation = 2,
  hipErrorNotInitialized = 3,
  hipErrorInitializationError = 3,
  hipErrorDeinitialized = 4,
  hipErrorInvalidConfiguration = 9,
  hipErrorInvalidPitchValue = 12,
  hipErrorInvalidSymbol = 13,
  hipErrorInvalidDevicePointer = 17,
  hipErrorInvalidMemcpyDirection = 21,
  hipErrorMissingConfiguration = 52,
  hipErrorPriorLaunchFailure = 53,
  hipErrorInvalidDeviceFunction = 98,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidImage = 200,
  hipErrorInvalidContext = 201,
  hipErrorMapBufferObjectFailed = 205,
  hipErrorNoBinaryForGpu = 209,
  hipErrorUnsupportedLimit = 215,
  hipErrorPeerAccessUnsupported = 217,
  hipErrorInvalidKernelFile = 218,
  hipErrorInvalidSource = 300,
  hipErrorFileNotFound = 301,
  hipErrorSharedObjectSymbolNotFound = 302,
  hipErrorSharedObjectInitFailed = 303,
  hipErrorInvalidHandle = 400,
  hipErrorInvalidResourceHandle = 400,
  hipErrorIllegalState = 401,
  hipErrorNotFound = 500,
  hipErrorNotReady = 600,
  hipErrorIllegalAddress = 700,
  hipErrorLaunchOutOfResources = 701,
  hipErrorLaunchTimeOut = 702,
  hipErrorPeerAccessAlreadyEnabled = 704,
  hipErrorPeerAccessNotEnabled = 705,
  hipErrorSetOnActiveProcess = 708,
  hipErrorAssert = 710,
  hipErrorHostMemoryAlreadyRegistered = 712,
  hipErrorHostMemoryNotRegistered = 713,
  hipErrorLaunchFailure = 719,
  hipErrorCooperativeLaunchTooLarge = 720,
  hipErrorNotSupported = 801,
  hipErrorStreamCaptureUnsupported = 900,
  hipErrorStreamCaptureInvalidated = 901,
  hipErrorStreamCaptureMerge = 902,
  hipErrorStreamCaptureUnmatched = 903,
  hipErrorStreamCaptureUnjoined = 904,
  hipErrorStreamCaptureIsolation = 905,
  hipErrorStreamCaptureImplicit = 906,
  hipErrorCapturedEvent = 907,
  hipErrorStreamCaptureWrongThread = 908,
  hipErrorGraphExecUpdateFailure = 910,
  hipErrorUnknown = 999,
  hipErrorTbd = 1054  // the last number of all
} hipError_t;

typedef enum hipMemcpyKind {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4
} hipMemcpyKind;

typedef struct ihipStream_t* hipStream_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef struct ihipModule_t* hipModule_t;
typedef struct ihipModuleSymbol_t* hipFunction_t;
typedef struct ihipCtx_t* hipCtx_t;
typedef struct ihipMemPoolHandle_t* hipMemPool_t;
typedef int hipDevice_t;
typedef void* hipDeviceptr_t;
typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void* user);
typedef void (*hipHostFn_t)(void* user);

typedef enum hipFuncAttribute {
  hipFuncAttributeMaxDynamicSharedMemorySize = 8,
  hipFuncAttributePreferredSharedMemoryCarveout = 9
} hipFuncAttribute;
typedef struct hipFuncAttributes {
  int binaryVersion, cacheModeCA;
  size_t constSizeBytes, localSizeBytes;
  int maxDynamicSharedSizeBytes, maxThreadsPerBlock, numRegs, preferredShmemCarveout, ptxVersion;
  size_t sharedSizeBytes;
} hipFuncAttributes;
typedef enum hipFuncCache_t {
  hipFuncCachePreferNone,
  hipFuncCachePreferShared,
  hipFuncCachePreferL1,
  hipFuncCachePreferEqual
} hipFuncCache_t;
typedef enum hipSharedMemConfig {
  hipSharedMemBankSizeDefault,
  hipSharedMemBankSizeFourByte,
  hipSharedMemBankSizeEightByte
} hipSharedMemConfig;
typedef enum hipComputeMode {
  hipComputeModeDefault,
  hipComputeModeExclusive,
  hipComputeModeProhibited,
  hipComputeModeExclusiveProcess
} hipComputeMode;
typedef enum hipMemoryType {
  hipMemoryTypeUnregistered,
  hipMemoryTypeHost,
  hipMemoryTypeDevice,
  hipMemoryTypeManaged
} hipMemoryType;
typedef enum hipMemoryAdvise {
  hipMemAdviseSetReadMostly = 1,
  hipMemAdviseUnsetReadMostly,
  hipMemAdviseSetPreferredLocation,
  hipMemAdviseUnsetPreferredLocation,
  hipMemAdviseSetAccessedBy,
  hipMemAdviseUnsetAccessedBy
} hipMemoryAdvise;
typedef struct hipPointerAttribute_t {
  hipMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
  int isManaged;
  unsigned allocationFlags;
} hipPointerAttribute_t;
typedef struct hipLaunchParams_t {
  void* func;
  dim3 gridDim, blockDim;
  void** args;
  size_t sharedMem;
  hipStream_t stream;
} hipLaunchParams;

// These are macros of the literal 0 and others, because a literal 0 is also a null stream.
#define hipStreamDefault 0
#define hipStreamNonBlocking 1
#define hipEventDefault 0
#define hipEventBlockingSync 1
#define hipEventDisableTiming 2
#define hipEventInterprocess 4
#define hipHostMallocDefault 0
#define hipHostMallocPortable 1
#define hipHostMallocMapped 2
#define hipHostMallocWriteCombined 4
#define hipHostMallocNumaUser 0x20000000
#define hipHostMallocCoherent 0x40000000
#define hipHostRegisterDefault 0
#define hipHostRegisterPortable 1
#define hipHostRegisterMapped 2
#define hipMemAttachGlobal 1
#define hipMemAttachHost 2
#define hipDeviceScheduleAuto 0
#define hipDeviceScheduleSpin 1
#define hipDeviceScheduleYield 2
#define hipDeviceScheduleBlockingSync 4
#define hipDeviceMapHost 8
#define hipCpuDeviceId (-1)
#define hipStreamLegacy ((hipStream_t)1)
#define hipStreamPerThread ((hipStream_t)2)
#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void*)0x01)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE ((void*)0x02)
#define HIP_LAUNCH_PARAM_END ((void*)0x03)

extern "C" {
hipError_t hipInit(unsigned flags);
hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);
const char* hipGetErrorName(hipError_t error);
const char* hipGetErrorString(hipError_t error);
hipError_t hipDriverGetVersion(int* version);
hipError_t hipRuntimeGetVersion(int* version);

hipError_t hipGetDeviceCount(int* count);
hipError_t hipGetDevice(int* device);
hipError_t hipSetDevice(int device);
hipError_t hipSetDeviceFlags(unsigned flags);
hipError_t hipDeviceReset(void);
hipError_t hipDeviceSynchronize(void);
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device);
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device);
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal);
hipError_t hipDeviceGetName(char* name, int bytes, hipDevice_t device);
hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device);
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer);
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags);
hipError_t hipDeviceDisablePeerAccess(int peer);
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config);
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config);
hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest);
hipError_t hipMemGetInfo(size_t* free, size_t* total);

hipError_t hipMalloc(void** place, size_t bytes);
hipError_t hipMallocAsync(void** place, size_t bytes, hipStream_t stream);
hipError_t hipExtMallocWithFlags(void** place, size_t bytes, unsigned flags);
hipError_t hipHostAlloc(void** place, size_t bytes, unsigned flags);
hipError_t hipMallocHost(void** place, size_t bytes);
hipError_t hipMemAllocHost(void** place, size_t bytes);
hipError_t hipMallocPitch(void** place, size_t* pitch, size_t width, size_t height);
hipError_t hipMallocManaged(void** place, size_t bytes, unsigned flags);
hipError_t hipHostMalloc(void** place, size_t bytes, unsigned flags);
hipError_t hipHostRegister(void* memory, size_t bytes, unsigned flags);
hipError_t hipHostUnregister(void* memory);
hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned flags);
hipError_t hipFree(void* memory);
hipError_t hipFreeAsync(void* memory, hipStream_t stream);
hipError_t hipHostFree(void* memory);
hipError_t hipFreeHost(void* memory);
hipError_t hipHostGetFlags(unsigned* flags, void* host);
hipError_t hipMemGetAddressRange(hipDeviceptr_t* first, size_t* bytes, hipDeviceptr_t inside);
hipError_t hipMemPtrGetInfo(void* memory, size_t* bytes);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* memory);
hipError_t hipMemPrefetchAsync(const void* memory, size_t bytes, int device, hipStream_t stream);
hipError_t hipMemAdvise(const void* memory, size_t bytes, hipMemoryAdvise advice, int device);

hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream);
hipError_t hipMemcpyWithStream(void* to, const void* from, size_t bytes, hipMemcpyKind kind,
                               hipStream_t stream);
hipError_t hipMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                       size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                            size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes);
hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                              size_t bytes, hipStream_t stream);
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void* from, size_t bytes);
hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t bytes);
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void* from, size_t bytes, hipStream_t stream);
hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, size_t bytes, hipStream_t stream);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                              hipStream_t stream);
hipError_t hipMemset(void* to, int value, size_t bytes);
hipError_t hipMemsetAsync(void* to, int value, size_t bytes, hipStream_t stream);
hipError_t hipMemset2D(void* to, size_t pitch, int value, size_t width, size_t height);
hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count);
hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count);
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count);
hipError_t hipMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream);
hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count,
                            hipStream_t stream);
hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count,
                             hipStream_t stream);
hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream);
hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                             hipMemcpyKind kind);
hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                               hipMemcpyKind kind);
hipError_t hipGetSymbolAddress(void** address, const void* symbol);
hipError_t hipGetSymbolSize(size_t* bytes, const void* symbol);

hipError_t hipStreamCreate(hipStream_t* stream);
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags);
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority);
hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, uint32_t words, const uint32_t* mask);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int* priority);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device);
int hipGetStreamDeviceId(hipStream_t stream);
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* memory, size_t bytes, unsigned flags);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags);
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* user,
                                unsigned flags);
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* user);
hipError_t hipEventCreate(hipEvent_t* event);
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventQuery(hipEvent_t event);
// The milliseconds of this machine's clock between two events. This is the time that the emulator
// took, and says nothing about the time on a GPU.
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end);

hipError_t hipLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                           size_t lds_bytes, hipStream_t stream);
hipError_t hipLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                      unsigned lds_bytes, hipStream_t stream);
hipError_t hipExtLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                              size_t lds_bytes, hipStream_t stream, hipEvent_t begin,
                              hipEvent_t end, int flags);
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds_bytes = 0,
                                      hipStream_t stream = nullptr);
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* lds_bytes,
                                     hipStream_t* stream);
hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* kernel);
hipError_t hipFuncSetAttribute(const void* kernel, hipFuncAttribute attribute, int value);
hipError_t hipFuncSetCacheConfig(const void* kernel, hipFuncCache_t config);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block,
                                                        size_t lds_bytes);
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* kernel,
                                             size_t lds_bytes, int limit);

hipError_t hipModuleLoad(hipModule_t* module, const char* file);
hipError_t hipModuleLoadData(hipModule_t* module, const void* image);
hipError_t hipModuleUnload(hipModule_t module);
hipError_t hipModuleGetFunction(hipFunction_t* kernel, hipModule_t module, const char* name);
hipError_t hipModuleGetGlobal(hipDeviceptr_t* place, size_t* bytes, hipModule_t module,
                              const char* name);
hipError_t hipModuleLaunchKernel(hipFunction_t kernel, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned lds_bytes, hipStream_t stream,
                                 void** arguments, void** extra);
}

#include "without_rocm/graphs.h"
#include "without_rocm/memory_pools.h"
#include "without_rocm/textures.h"

// For functions that only hand their arguments on to another function. If a program calls such a
// function, the inner call gets the line of the program's call, not a line of this file: when a
// function without debug information is inlined, its code takes the line of the call.
#define HIP_FORWARDS inline __attribute__((always_inline, nodebug))
template <class T>
HIP_FORWARDS hipError_t hipMalloc(T** place, size_t bytes) {
  return hipMalloc((void**)place, bytes);
}
template <class T>
HIP_FORWARDS hipError_t hipMallocAsync(T** place, size_t bytes, hipStream_t stream) {
  return hipMallocAsync((void**)place, bytes, stream);
}
template <class T>
HIP_FORWARDS hipError_t hipMallocPitch(T** place, size_t* pitch, size_t width, size_t height) {
  return hipMallocPitch((void**)place, pitch, width, height);
}
template <class T>
HIP_FORWARDS hipError_t hipMallocManaged(T** place, size_t bytes,
                                         unsigned flags = hipMemAttachGlobal) {
  return hipMallocManaged((void**)place, bytes, flags);
}
template <class T>
HIP_FORWARDS hipError_t hipHostMalloc(T** place, size_t bytes,
                                      unsigned flags = hipHostMallocDefault) {
  return hipHostMalloc((void**)place, bytes, flags);
}
template <class T>
HIP_FORWARDS hipError_t hipMallocHost(T** place, size_t bytes) {
  return hipHostMalloc((void**)place, bytes, 0u);
}
template <class T>
HIP_FORWARDS hipError_t hipHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return hipHostGetDevicePointer((void**)device, host, flags);
}
template <class T>
HIP_FORWARDS hipError_t hipMemcpyToSymbol(const T& symbol, const void* from, size_t bytes,
                                          size_t offset = 0,
                                          hipMemcpyKind kind = hipMemcpyHostToDevice) {
  return hipMemcpyToSymbol((const void*)&symbol, from, bytes, offset, kind);
}
template <class T>
HIP_FORWARDS hipError_t hipMemcpyFromSymbol(void* to, const T& symbol, size_t bytes,
                                            size_t offset = 0,
                                            hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  return hipMemcpyFromSymbol(to, (const void*)&symbol, bytes, offset, kind);
}
template <class T>
HIP_FORWARDS hipError_t hipMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes,
                                               size_t offset, hipMemcpyKind kind,
                                               hipStream_t stream) {
  return hipMemcpyToSymbolAsync((const void*)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
HIP_FORWARDS hipError_t hipMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes,
                                                 size_t offset, hipMemcpyKind kind,
                                                 hipStream_t stream) {
  return hipMemcpyFromSymbolAsync(to, (const void*)&symbol, bytes, offset, kind, stream);
}
template <class T>
HIP_FORWARDS hipError_t hipGetSymbolAddress(void** address, const T& symbol) {
  return hipGetSymbolAddress(address, (const void*)&symbol);
}
template <class T>
HIP_FORWARDS hipError_t hipGetSymbolSize(size_t* bytes, const T& symbol) {
  return hipGetSymbolSize(bytes, (const void*)&symbol);
}
HIP_FORWARDS hipError_t hipEventCreate(hipEvent_t* event, unsigned flags) {
  return hipEventCreateWithFlags(event, flags);
}
HIP_FORWARDS hipError_t hipEventRecord(hipEvent_t event) { return hipEventRecord(event, nullptr); }
HIP_FORWARDS hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes,
                                       hipMemcpyKind kind) {
  return hipMemcpyAsync(to, from, bytes, kind, nullptr);
}
HIP_FORWARDS hipError_t hipMemsetAsync(void* to, int value, size_t bytes) {
  return hipMemsetAsync(to, value, bytes, nullptr);
}
HIP_FORWARDS hipError_t hipMemPrefetchAsync(const void* memory, size_t bytes, int device) {
  return hipMemPrefetchAsync(memory, bytes, device, nullptr);
}
HIP_FORWARDS hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event) {
  return hipStreamWaitEvent(stream, event, 0);
}
template <class T>
HIP_FORWARDS hipError_t hipLaunchKernel(T* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t lds_bytes = 0, hipStream_t stream = nullptr) {
  return hipLaunchKernel((const void*)kernel, grid, block, arguments, lds_bytes, stream);
}
#ifdef __cpp_char8_t
HIP_FORWARDS hipError_t hipModuleLoad(hipModule_t* module, const char8_t* file) {
  return hipModuleLoad(module, reinterpret_cast<const char*>(file));
}
#endif
template <class T>
HIP_FORWARDS hipError_t hipLaunchCooperativeKernel(T kernel, dim3 grid, dim3 block,
                                                   void** arguments, unsigned lds_bytes,
                                                   hipStream_t stream) {
  return hipLaunchCooperativeKernel((const void*)kernel, grid, block, arguments, lds_bytes, stream);
}
template <class T>
HIP_FORWARDS hipError_t hipFuncSetCacheConfig(T* kernel, hipFuncCache_t config) {
  return hipFuncSetCacheConfig((const void*)kernel, config);
}
template <class T>
HIP_FORWARDS hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, T* kernel) {
  return hipFuncGetAttributes(attributes, (const void*)kernel);
}
template <class T>
HIP_FORWARDS hipError_t hipFuncSetAttribute(T* kernel, hipFuncAttribute attribute, int value) {
  return hipFuncSetAttribute((const void*)kernel, attribute, value);
}
template <class T>
HIP_FORWARDS hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T kernel,
                                                                     int block,
                                                                     size_t lds_bytes = 0) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void*)kernel, block,
                                                      lds_bytes);
}
template <class T>
HIP_FORWARDS hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, T kernel,
                                                          size_t lds_bytes = 0, int limit = 0) {
  return hipOccupancyMaxPotentialBlockSize(grid, block, (const void*)kernel, lds_bytes, limit);
}

#define HIP_SYMBOL(x) x
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_LAUNCH(kernel, grid, block, lds_bytes, stream, ...) \
  kernel<<<(grid), (block), (lds_bytes), (stream)>>>(__VA_ARGS__)
#ifdef HIP_TEMPLATE_KERNEL_LAUNCH
// For kernel templates of which not all arguments are given: the arguments of the launch determine
// the others.
template <class... Arguments, class Kernel = void (*)(Arguments...)>
HIP_FORWARDS void hipLaunchKernelGGL(Kernel kernel, const dim3& grid, const dim3& block,
                                     unsigned lds_bytes, hipStream_t stream,
                                     Arguments... arguments) {
  kernel<<<grid, block, lds_bytes, stream>>>(arguments...);
}
#else
#define hipLaunchKernelGGL(kernel, ...) \
  do {                                  \
    HIP_LAUNCH((kernel), __VA_ARGS__);  \
  } while (0)
#endif
