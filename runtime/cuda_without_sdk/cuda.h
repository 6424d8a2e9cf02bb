// <cuda.h> where there is no CUDA SDK: what of the driver API has a counterpart in HIP's runtime
// API. There is one device, and so a context is a name alone. Source: "CUDA Driver API" 12.8,
// docs.nvidia.com/cuda/cuda-driver-api.
#pragma once

#include "cuda_runtime.h"

#define CUDAAPI
typedef hipError_t CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef hipModule_t CUmodule;
typedef hipFunction_t CUfunction;
typedef hipStream_t CUstream;
typedef hipEvent_t CUevent;
typedef hipDeviceAttribute_t CUdevice_attribute;
typedef struct CUctx_st* CUcontext;
typedef int CUjit_option;

#define CUDA_SUCCESS hipSuccess
#define CUDA_ERROR_INVALID_VALUE hipErrorInvalidValue
#define CUDA_ERROR_OUT_OF_MEMORY hipErrorOutOfMemory
#define CUDA_ERROR_NOT_INITIALIZED hipErrorNotInitialized
#define CUDA_ERROR_NO_DEVICE hipErrorNoDevice
#define CUDA_ERROR_INVALID_DEVICE hipErrorInvalidDevice
#define CUDA_ERROR_INVALID_IMAGE hipErrorInvalidImage
#define CUDA_ERROR_INVALID_CONTEXT hipErrorInvalidContext
#define CUDA_ERROR_NOT_FOUND hipErrorNotFound
#define CUDA_ERROR_NOT_READY hipErrorNotReady
#define CUDA_ERROR_ILLEGAL_ADDRESS hipErrorIllegalAddress
#define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK hipDeviceAttributeMaxThreadsPerBlock
#define CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT hipDeviceAttributeMultiprocessorCount
#define CU_DEVICE_ATTRIBUTE_WARP_SIZE hipDeviceAttributeWarpSize
#define CU_DEVICE_ATTRIBUTE_CLOCK_RATE hipDeviceAttributeClockRate
#define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK hipDeviceAttributeMaxSharedMemoryPerBlock
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR hipDeviceAttributeComputeCapabilityMajor
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR hipDeviceAttributeComputeCapabilityMinor
#define CU_STREAM_DEFAULT 0u
#define CU_STREAM_NON_BLOCKING 1u
#define CU_EVENT_DEFAULT 0u
#define CU_CTX_SCHED_AUTO 0u

inline CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = hipGetErrorName(error);
  return hipSuccess;
}
inline CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = hipGetErrorString(error);
  return hipSuccess;
}
inline CUresult cuInit(unsigned flags) { return hipInit(flags); }
inline CUresult cuDriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return hipSuccess;
}

inline CUresult cuDeviceGetCount(int* count) { return hipGetDeviceCount(count); }
inline CUresult cuDeviceGet(CUdevice* device, int ordinal) { return hipDeviceGet(device, ordinal); }
inline CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
  return hipDeviceGetName(name, bytes, device);
}
inline CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  return hipDeviceTotalMem(bytes, device);
}
inline CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return hipDeviceGetAttribute(value, attribute, device);
}

inline CUcontext heddle_context() {
  static char context;
  return reinterpret_cast<CUcontext>(&context);
}
inline CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = heddle_context();
  return hipSuccess;
}
inline CUresult cuDevicePrimaryCtxRelease(CUdevice) { return hipSuccess; }
inline CUresult cuCtxCreate(CUcontext* context, unsigned, CUdevice device) {
  const CUresult result = hipSetDevice(device);
  if (result == hipSuccess) *context = heddle_context();
  return result;
}
inline CUresult cuCtxDestroy(CUcontext) { return hipSuccess; }
inline CUresult cuCtxSetCurrent(CUcontext) { return hipSuccess; }
inline CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = heddle_context();
  return hipSuccess;
}
inline CUresult cuCtxSynchronize() { return hipDeviceSynchronize(); }

inline CUresult cuModuleLoad(CUmodule* module, const char* file) {
  return hipModuleLoad(module, file);
}
inline CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return hipModuleLoadData(module, image);
}
inline CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*,
                                   void**) {
  return hipModuleLoadData(module, image);
}
inline CUresult cuModuleUnload(CUmodule module) { return hipModuleUnload(module); }
inline CUresult cuModuleGetFunction(CUfunction* kernel, CUmodule module, const char* name) {
  return hipModuleGetFunction(kernel, module, name);
}
inline CUresult cuModuleGetGlobal(CUdeviceptr* place, size_t* bytes, CUmodule module,
                                  const char* name) {
  hipDeviceptr_t found = nullptr;
  const CUresult result = hipModuleGetGlobal(&found, bytes, module, name);
  *place = reinterpret_cast<CUdeviceptr>(found);
  return result;
}
inline CUresult cuLaunchKernel(CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z,
                               unsigned shared_bytes, CUstream stream, void** arguments,
                               void** extra) {
  return hipModuleLaunchKernel(kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                               shared_bytes, stream, arguments, extra);
}

inline void* heddle_pointer(CUdeviceptr place) { return reinterpret_cast<void*>(place); }
inline CUresult cuMemAlloc(CUdeviceptr* place, size_t bytes) {
  void* memory = nullptr;
  const CUresult result = hipMalloc(&memory, bytes);
  *place = reinterpret_cast<CUdeviceptr>(memory);
  return result;
}
inline CUresult cuMemFree(CUdeviceptr place) { return hipFree(heddle_pointer(place)); }
inline CUresult cuMemGetInfo(size_t* free, size_t* total) { return hipMemGetInfo(free, total); }
inline CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return hipMemcpy(heddle_pointer(to), from, bytes, hipMemcpyHostToDevice);
}
inline CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return hipMemcpy(to, heddle_pointer(from), bytes, hipMemcpyDeviceToHost);
}
inline CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return hipMemcpy(heddle_pointer(to), heddle_pointer(from), bytes, hipMemcpyDeviceToDevice);
}
inline CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return hipMemcpyAsync(heddle_pointer(to), from, bytes, hipMemcpyHostToDevice, stream);
}
inline CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return hipMemcpyAsync(to, heddle_pointer(from), bytes, hipMemcpyDeviceToHost, stream);
}
inline CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return hipMemsetD8(heddle_pointer(to), value, count);
}
inline CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return hipMemsetD32(heddle_pointer(to), static_cast<int>(value), count);
}

inline CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return hipStreamCreateWithFlags(stream, flags);
}
inline CUresult cuStreamDestroy(CUstream stream) { return hipStreamDestroy(stream); }
inline CUresult cuStreamSynchronize(CUstream stream) { return hipStreamSynchronize(stream); }
inline CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return hipEventCreateWithFlags(event, flags);
}
inline CUresult cuEventDestroy(CUevent event) { return hipEventDestroy(event); }
inline CUresult cuEventRecord(CUevent event, CUstream stream) {
  return hipEventRecord(event, stream);
}
inline CUresult cuEventSynchronize(CUevent event) { return hipEventSynchronize(event); }
inline CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  return hipEventElapsedTime(milliseconds, begin, end);
}
