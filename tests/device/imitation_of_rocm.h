// What <hip/hip_runtime.h> and <hip/hip_fp16.h> of ROCm leave behind that device headers could
// clash with: macros, names in the global namespace, and a class __half. There is no ROCm where
// the tests run; names and forms follow HIP's documentation ("HIP C++ language extensions").
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((amdgpu_flat_work_group_size(1, 1024)))

#define HIP_INCLUDE_HIP_HIP_FP16_H
struct __half {
  _Float16 data;
  __host__ __device__ __half() = default;
  __host__ __device__ __half(float x) : data(static_cast<_Float16>(x)) {}
};
typedef __half half;
typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int4 __attribute__((ext_vector_type(4)));

struct ThreadIndex {
  __device__ operator unsigned() const { return __builtin_amdgcn_workitem_id_x(); }
};
struct ThreadIndices {
  [[no_unique_address]] ThreadIndex x;
};
extern const __device__ __attribute__((weak)) ThreadIndices threadIdx;
