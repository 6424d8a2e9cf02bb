// <cuda.h> where there is no CUDA SDK: the functions of the driver API that have a counterpart in
// HIP's runtime API. There is one device, so a context is only a name. Source: "CUDA Driver API"
// 12.8, docs.nvidia.com/cuda/cuda-driver-api.
#pragma once

#include "cuda_runtime.h"

// The headers of NVIDIA's samples test this macro to see whether the driver API was included.
#define __cuda_cuda_h__
#define CUDAAPI

// CUresult is no alias of cudaError_t, because programs overload functions for both types. The
// numbers are the same in both.
typedef enum cudaError_enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_INVALID_SOURCE = 300,
  CUDA_ERROR_FILE_NOT_FOUND = 301,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_UNKNOWN = 999
} CUresult;
inline CUresult heddle_result(hipError_t error) { return (CUresult)error; }

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef hipModule_t CUmodule;
typedef hipFunction_t CUfunction;
typedef hipStream_t CUstream;
typedef hipEvent_t CUevent;
typedef hipDeviceAttribute_t CUdevice_attribute;
typedef struct CUctx_st* CUcontext;
typedef int CUjit_option;

#define CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT hipDeviceAttributeAsyncEngineCount
#define CU_DEVICE_ATTRIBUTE_GPU_OVERLAP hipDeviceAttributeAsyncEngineCount
#define CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT hipDeviceAttributeKernelExecTimeout
#define CU_DEVICE_ATTRIBUTE_PCI_BUS_ID hipDeviceAttributePciBusId
#define CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID hipDeviceAttributePciDeviceId
#define CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID hipDeviceAttributePciDomainID
#define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK hipDeviceAttributeMaxThreadsPerBlock
#define CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X hipDeviceAttributeMaxBlockDimX
#define CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y hipDeviceAttributeMaxBlockDimY
#define CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z hipDeviceAttributeMaxBlockDimZ
#define CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X hipDeviceAttributeMaxGridDimX
#define CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y hipDeviceAttributeMaxGridDimY
#define CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z hipDeviceAttributeMaxGridDimZ
#define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK hipDeviceAttributeMaxSharedMemoryPerBlock
#define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN \
  hipDeviceAttributeSharedMemPerBlockOptin
#define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR \
  hipDeviceAttributeMaxSharedMemoryPerMultiprocessor
#define CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY hipDeviceAttributeTotalConstantMemory
#define CU_DEVICE_ATTRIBUTE_WARP_SIZE hipDeviceAttributeWarpSize
#define CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK hipDeviceAttributeMaxRegistersPerBlock
#define CU_DEVICE_ATTRIBUTE_CLOCK_RATE hipDeviceAttributeClockRate
#define CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT hipDeviceAttributeMultiprocessorCount
#define CU_DEVICE_ATTRIBUTE_INTEGRATED hipDeviceAttributeIntegrated
#define CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY hipDeviceAttributeCanMapHostMemory
#define CU_DEVICE_ATTRIBUTE_COMPUTE_MODE hipDeviceAttributeComputeMode
#define CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS hipDeviceAttributeConcurrentKernels
#define CU_DEVICE_ATTRIBUTE_ECC_ENABLED hipDeviceAttributeEccEnabled
#define CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE hipDeviceAttributeMemoryClockRate
#define CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH hipDeviceAttributeMemoryBusWidth
#define CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE hipDeviceAttributeL2CacheSize
#define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR \
  hipDeviceAttributeMaxThreadsPerMultiProcessor
#define CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING hipDeviceAttributeUnifiedAddressing
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR hipDeviceAttributeComputeCapabilityMajor
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR hipDeviceAttributeComputeCapabilityMinor
#define CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY hipDeviceAttributeManagedMemory
#define CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS hipDeviceAttributeConcurrentManagedAccess
#define CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS hipDeviceAttributePageableMemoryAccess
#define CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH hipDeviceAttributeCooperativeLaunch
#define CU_COMPUTEMODE_DEFAULT hipComputeModeDefault
#define CU_COMPUTEMODE_PROHIBITED hipComputeModeProhibited
#define CU_LAUNCH_PARAM_BUFFER_POINTER HIP_LAUNCH_PARAM_BUFFER_POINTER
#define CU_LAUNCH_PARAM_BUFFER_SIZE HIP_LAUNCH_PARAM_BUFFER_SIZE
#define CU_LAUNCH_PARAM_END HIP_LAUNCH_PARAM_END
#define CU_STREAM_DEFAULT 0u
#define CU_STREAM_NON_BLOCKING 1u
#define CU_EVENT_DEFAULT 0u
#define CU_CTX_SCHED_AUTO 0u

inline CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = hipGetErrorName((hipError_t)error);
  return CUDA_SUCCESS;
}
inline CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = hipGetErrorString((hipError_t)error);
  return CUDA_SUCCESS;
}
inline CUresult cuInit(unsigned flags) { return heddle_result(hipInit(flags)); }
inline CUresult cuDriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

inline CUresult cuDeviceGetCount(int* count) { return heddle_result(hipGetDeviceCount(count)); }
inline CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return heddle_result(hipDeviceGet(device, ordinal));
}
inline CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
  return heddle_result(hipDeviceGetName(name, bytes, device));
}
inline CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  return heddle_result(hipDeviceTotalMem(bytes, device));
}
inline CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return heddle_result(hipDeviceGetAttribute(value, attribute, device));
}

inline CUcontext heddle_context() {
  static char context;
  return reinterpret_cast<CUcontext>(&context);
}
inline CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = heddle_context();
  return CUDA_SUCCESS;
}
inline CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
inline CUresult cuCtxCreate(CUcontext* context, unsigned, CUdevice device) {
  const CUresult result = heddle_result(hipSetDevice(device));
  if (result == CUDA_SUCCESS) *context = heddle_context();
  return result;
}
// The parameters of cuCtxCreate in CUDA 13, such as the number of processors for a context.
typedef struct CUctxCreateParams_st {
  void* execAffinityParams;
  int numExecAffinityParams;
  void* cigParams;
} CUctxCreateParams;
inline CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned flags,
                            CUdevice device) {
  return cuCtxCreate(context, flags, device);
}
inline CUresult cuCtxPushCurrent(CUcontext) { return CUDA_SUCCESS; }
inline CUresult cuCtxPopCurrent(CUcontext* context) {
  *context = heddle_context();
  return CUDA_SUCCESS;
}
inline CUresult cuCtxGetDevice(CUdevice* device) { return heddle_result(hipGetDevice(device)); }
inline CUresult cuCtxDestroy(CUcontext) { return CUDA_SUCCESS; }
inline CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
inline CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = heddle_context();
  return CUDA_SUCCESS;
}
inline CUresult cuCtxSynchronize() { return heddle_result(hipDeviceSynchronize()); }

inline CUresult cuModuleLoad(CUmodule* module, const char* file) {
  return heddle_result(hipModuleLoad(module, file));
}
inline CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return heddle_result(hipModuleLoadData(module, image));
}
inline CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*,
                                   void**) {
  return heddle_result(hipModuleLoadData(module, image));
}
inline CUresult cuModuleUnload(CUmodule module) { return heddle_result(hipModuleUnload(module)); }
inline CUresult cuModuleGetFunction(CUfunction* kernel, CUmodule module, const char* name) {
  return heddle_result(hipModuleGetFunction(kernel, module, name));
}
inline CUresult cuModuleGetGlobal(CUdeviceptr* place, size_t* bytes, CUmodule module,
                                  const char* name) {
  hipDeviceptr_t found = nullptr;
  const CUresult result = heddle_result(hipModuleGetGlobal(&found, bytes, module, name));
  *place = reinterpret_cast<CUdeviceptr>(found);
  return result;
}
inline CUresult cuLaunchKernel(CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z,
                               unsigned shared_bytes, CUstream stream, void** arguments,
                               void** extra) {
  return heddle_result(hipModuleLaunchKernel(kernel, grid_x, grid_y, grid_z, block_x, block_y,
                                             block_z, shared_bytes, stream, arguments, extra));
}

inline void* heddle_pointer(CUdeviceptr place) { return reinterpret_cast<void*>(place); }
inline CUresult cuMemAlloc(CUdeviceptr* place, size_t bytes) {
  void* memory = nullptr;
  const CUresult result = heddle_result(hipMalloc(&memory, bytes));
  *place = reinterpret_cast<CUdeviceptr>(memory);
  return result;
}
inline CUresult cuMemFree(CUdeviceptr place) {
  return heddle_result(hipFree(heddle_pointer(place)));
}
inline CUresult cuMemGetInfo(size_t* free, size_t* total) {
  return heddle_result(hipMemGetInfo(free, total));
}
inline CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return heddle_result(hipMemcpy(heddle_pointer(to), from, bytes, hipMemcpyHostToDevice));
}
inline CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return heddle_result(hipMemcpy(to, heddle_pointer(from), bytes, hipMemcpyDeviceToHost));
}
inline CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return heddle_result(
      hipMemcpy(heddle_pointer(to), heddle_pointer(from), bytes, hipMemcpyDeviceToDevice));
}
inline CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return heddle_result(
      hipMemcpyAsync(heddle_pointer(to), from, bytes, hipMemcpyHostToDevice, stream));
}
inline CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return heddle_result(
      hipMemcpyAsync(to, heddle_pointer(from), bytes, hipMemcpyDeviceToHost, stream));
}
inline CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return heddle_result(hipMemsetD8(heddle_pointer(to), value, count));
}
inline CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return heddle_result(hipMemsetD32(heddle_pointer(to), static_cast<int>(value), count));
}

inline CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return heddle_result(hipStreamCreateWithFlags(stream, flags));
}
inline CUresult cuStreamDestroy(CUstream stream) { return heddle_result(hipStreamDestroy(stream)); }
inline CUresult cuStreamSynchronize(CUstream stream) {
  return heddle_result(hipStreamSynchronize(stream));
}
inline CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return heddle_result(hipEventCreateWithFlags(event, flags));
}
inline CUresult cuEventDestroy(CUevent event) { return heddle_result(hipEventDestroy(event)); }
inline CUresult cuEventRecord(CUevent event, CUstream stream) {
  return heddle_result(hipEventRecord(event, stream));
}
inline CUresult cuEventSynchronize(CUevent event) {
  return heddle_result(hipEventSynchronize(event));
}
inline CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  return heddle_result(hipEventElapsedTime(milliseconds, begin, end));
}

#include "cuda_tensor_map.h"
// Programs look up functions by name. Here, this finds the functions of tensor maps only.
typedef enum CUdriverProcAddressQueryResult_enum {
  CU_GET_PROC_ADDRESS_SUCCESS,
  CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND,
  CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
} CUdriverProcAddressQueryResult;
#define CU_GET_PROC_ADDRESS_DEFAULT 0
inline CUresult cuGetProcAddress(const char* name, void** function, int, cuuint64_t,
                                 CUdriverProcAddressQueryResult* found = nullptr) {
  *function = heddle_driver_function(name);
  if (found)
    *found = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
