// What programs use of <hip/hip_bf16.h>, where there is no ROCm: see hip_runtime.h beside it.
#pragma once

#ifndef __CUDA__  // cuda_runtime.h is there
#include "hip_runtime.h"
#endif

using __hip_bfloat16 = __bf16;
using __hip_bfloat162 = __bf16 __attribute__((ext_vector_type(2)));

__host__ __device__ inline float __bfloat162float(__hip_bfloat16 x) {
  return static_cast<float>(x);
}
__host__ __device__ inline __hip_bfloat16 __float2bfloat16(float x) {
  return static_cast<__hip_bfloat16>(x);
}
__host__ __device__ inline __hip_bfloat16 __float2bfloat16_rn(float x) {
  return __float2bfloat16(x);
}
__host__ __device__ inline __hip_bfloat162 __floats2bfloat162_rn(float low, float high) {
  return {__float2bfloat16(low), __float2bfloat16(high)};
}
__host__ __device__ inline float2 __bfloat1622float2(__hip_bfloat162 x) {
  return {__bfloat162float(x.x), __bfloat162float(x.y)};
}
__host__ __device__ inline __hip_bfloat16 __hadd(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __float2bfloat16(__bfloat162float(a) + __bfloat162float(b));
}
__host__ __device__ inline __hip_bfloat16 __hmul(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __float2bfloat16(__bfloat162float(a) * __bfloat162float(b));
}

__device__ inline __hip_bfloat162 atomicAdd(__hip_bfloat162* place, __hip_bfloat162 value) {
  return heddle_atomic_update(place, [=](__hip_bfloat162 before) -> __hip_bfloat162 {
    return {__hadd(before.x, value.x), __hadd(before.y, value.y)};
  });
}
