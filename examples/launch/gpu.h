// What launch.cpp needs of a GPU: by CUDA's driver interface, or by HIP where hipcc compiles it.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#ifdef __HIP__
#include <hip/hip_runtime_api.h>
#else
#include <cuda.h>
#endif

[[noreturn]] inline void stop(const std::string& message) {
  std::fprintf(stderr, "launch: %s\n", message.c_str());
  std::exit(1);
}

#ifdef __HIP__

using Address = void*;
struct TensorMap {};  // of NVIDIA alone

inline Address at(Address address, std::uint64_t bytes) {
  return static_cast<char*>(address) + bytes;
}

inline void check(hipError_t status, const char* call) {
  if (status != hipSuccess) stop(std::string(call) + ": " + hipGetErrorString(status));
}

class Gpu {
 public:
  Address zeros(std::uint64_t bytes) {
    Address address = nullptr;
    check(hipMalloc(&address, bytes), "hipMalloc");
    check(hipMemset(address, 0, bytes), "hipMemset");
    return address;
  }
  void write(Address to, const std::vector<char>& bytes) {
    check(hipMemcpy(to, bytes.data(), bytes.size(), hipMemcpyHostToDevice), "hipMemcpy");
  }
  std::vector<char> read(Address from, std::uint64_t count) {
    std::vector<char> bytes(count);
    check(hipMemcpy(bytes.data(), from, count, hipMemcpyDeviceToHost), "hipMemcpy");
    return bytes;
  }
  void launch(const std::vector<char>& code, const std::string& kernel,
              std::array<unsigned, 3> grid, std::array<unsigned, 3> block, unsigned shared_bytes,
              std::vector<void*>& parameters) {
    hipModule_t module = nullptr;
    hipFunction_t function = nullptr;
    check(hipModuleLoadData(&module, code.data()), "hipModuleLoadData");
    check(hipModuleGetFunction(&function, module, kernel.c_str()), "hipModuleGetFunction");
    check(hipModuleLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                shared_bytes, nullptr, parameters.data(), nullptr),
          "hipModuleLaunchKernel");
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  }
};

#else

using Address = CUdeviceptr;
using TensorMap = CUtensorMap;

inline Address at(Address address, std::uint64_t bytes) { return address + bytes; }

inline void check(CUresult status, const char* call) {
  if (status == CUDA_SUCCESS) return;
  const char* words = nullptr;
  cuGetErrorString(status, &words);
  stop(std::string(call) + ": " + (words != nullptr ? words : "an unknown error"));
}

class Gpu {
 public:
  Gpu() {
    CUdevice device = 0;
    CUcontext context = nullptr;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  }
  Address zeros(std::uint64_t bytes) {
    Address address = 0;
    check(cuMemAlloc(&address, bytes), "cuMemAlloc");
    check(cuMemsetD8(address, 0, bytes), "cuMemsetD8");
    return address;
  }
  void write(Address to, const std::vector<char>& bytes) {
    check(cuMemcpyHtoD(to, bytes.data(), bytes.size()), "cuMemcpyHtoD");
  }
  std::vector<char> read(Address from, std::uint64_t count) {
    std::vector<char> bytes(count);
    check(cuMemcpyDtoH(bytes.data(), from, count), "cuMemcpyDtoH");
    return bytes;
  }
  // PTX ends in a zero byte.
  void launch(std::vector<char> code, const std::string& kernel, std::array<unsigned, 3> grid,
              std::array<unsigned, 3> block, unsigned shared_bytes,
              std::vector<void*>& parameters) {
    code.push_back('\0');
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    check(cuModuleLoadData(&module, code.data()), "cuModuleLoadData");
    check(cuModuleGetFunction(&function, module, kernel.c_str()), "cuModuleGetFunction");
    check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             static_cast<int>(shared_bytes)),
          "cuFuncSetAttribute");
    check(cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                         shared_bytes, nullptr, parameters.data(), nullptr),
          "cuLaunchKernel");
    check(cuCtxSynchronize(), "cuCtxSynchronize");
  }
};

#endif

struct MapForm {
  std::string element;
  Address first;
  std::vector<std::uint64_t> sizes, strides;  // strides in bytes, of the dimensions after the first
  std::vector<std::uint32_t> box;
  unsigned swizzle_bytes;
};

inline TensorMap tensor_map(const MapForm& form) {
  TensorMap map{};
#ifdef __HIP__
  stop("the kernel of an AMD GPU has no tensor map; " + form.element + " was described");
#else
  const CUtensorMapDataType type = form.element == "f32"    ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                   : form.element == "i32"  ? CU_TENSOR_MAP_DATA_TYPE_INT32
                                   : form.element == "f16"  ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                   : form.element == "bf16" ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                                            : CU_TENSOR_MAP_DATA_TYPE_UINT8;
  if (form.swizzle_bytes != 128) stop("swizzling over something else than 128 bytes");
  const std::vector<std::uint32_t> steps(form.sizes.size(), 1);
  check(
      cuTensorMapEncodeTiled(&map, type, static_cast<unsigned>(form.sizes.size()),
                             reinterpret_cast<void*>(form.first), form.sizes.data(),
                             form.strides.data(), form.box.data(), steps.data(),
                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
      "cuTensorMapEncodeTiled");
#endif
  return map;
}
