// The parts of <hip/hip_bf16.h> that programs use, for systems without ROCm: see hip_runtime.h in
// this folder.
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
__host__ __device__ inline unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) {
  return __builtin_bit_cast(unsigned short, x);
}
__host__ __device__ inline short __bfloat16_as_short(__hip_bfloat16 x) {
  return __builtin_bit_cast(short, x);
}
__host__ __device__ inline __hip_bfloat16 __ushort_as_bfloat16(unsigned short x) {
  return __builtin_bit_cast(__hip_bfloat16, x);
}
__host__ __device__ inline __hip_bfloat16 __short_as_bfloat16(short x) {
  return __builtin_bit_cast(__hip_bfloat16, x);
}
__host__ __device__ inline __hip_bfloat16 __double2bfloat16(double x) {
  return static_cast<__hip_bfloat16>(x);
}
__host__ __device__ inline __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 x) { return {x, x}; }
__host__ __device__ inline __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 low,
                                                              __hip_bfloat16 high) {
  return {low, high};
}
__host__ __device__ inline __hip_bfloat162 make_bfloat162(__hip_bfloat16 low, __hip_bfloat16 high) {
  return {low, high};
}
__host__ __device__ inline __hip_bfloat162 __float2bfloat162_rn(float x) {
  return __floats2bfloat162_rn(x, x);
}
__host__ __device__ inline __hip_bfloat162 __float22bfloat162_rn(float2 x) {
  return __floats2bfloat162_rn(x.x, x.y);
}
__host__ __device__ inline __hip_bfloat16 __low2bfloat16(__hip_bfloat162 x) { return x.x; }
__host__ __device__ inline __hip_bfloat16 __high2bfloat16(__hip_bfloat162 x) { return x.y; }
__host__ __device__ inline float __low2float(__hip_bfloat162 x) { return __bfloat162float(x.x); }
__host__ __device__ inline float __high2float(__hip_bfloat162 x) { return __bfloat162float(x.y); }
__host__ __device__ inline __hip_bfloat16 __hadd(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __float2bfloat16(__bfloat162float(a) + __bfloat162float(b));
}
__host__ __device__ inline __hip_bfloat16 __hmul(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __float2bfloat16(__bfloat162float(a) * __bfloat162float(b));
}

__host__ __device__ inline __hip_bfloat16 __hsub(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __float2bfloat16(__bfloat162float(a) - __bfloat162float(b));
}
__host__ __device__ inline __hip_bfloat16 __hdiv(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __float2bfloat16(__bfloat162float(a) / __bfloat162float(b));
}
// The product is exact in f64. The sum is rounded to f64, and then to bf16.
__host__ __device__ inline __hip_bfloat16 __hfma(__hip_bfloat16 a, __hip_bfloat16 b,
                                                 __hip_bfloat16 c) {
  return static_cast<__hip_bfloat16>(
      __builtin_fma(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)));
}
__host__ __device__ inline __hip_bfloat16 __hneg(__hip_bfloat16 a) {
  return __ushort_as_bfloat16(__bfloat16_as_ushort(a) ^ 0x8000);
}
__host__ __device__ inline __hip_bfloat16 __habs(__hip_bfloat16 a) {
  return __ushort_as_bfloat16(__bfloat16_as_ushort(a) & 0x7fff);
}
__host__ __device__ inline __hip_bfloat16 __hmax(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __float2bfloat16(__builtin_fmaxf(__bfloat162float(a), __bfloat162float(b)));
}
__host__ __device__ inline __hip_bfloat16 __hmin(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __float2bfloat16(__builtin_fminf(__bfloat162float(a), __bfloat162float(b)));
}
__host__ __device__ inline bool __hisnan(__hip_bfloat16 a) { return a != a; }
#define HIP_BF16_PAIRS(name)                                                                 \
  __host__ __device__ inline __hip_bfloat162 name##2(__hip_bfloat162 a, __hip_bfloat162 b) { \
    return {name(a.x, b.x), name(a.y, b.y)};                                                 \
  }
HIP_BF16_PAIRS(__hadd)
HIP_BF16_PAIRS(__hsub)
HIP_BF16_PAIRS(__hmul)
HIP_BF16_PAIRS(__hmax)
HIP_BF16_PAIRS(__hmin)
#undef HIP_BF16_PAIRS
__host__ __device__ inline __hip_bfloat162 __h2div(__hip_bfloat162 a, __hip_bfloat162 b) {
  return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)};
}
__host__ __device__ inline __hip_bfloat162 __habs2(__hip_bfloat162 a) {
  return {__habs(a.x), __habs(a.y)};
}
__host__ __device__ inline __hip_bfloat162 __hneg2(__hip_bfloat162 a) {
  return {__hneg(a.x), __hneg(a.y)};
}
__host__ __device__ inline __hip_bfloat162 __hfma2(__hip_bfloat162 a, __hip_bfloat162 b,
                                                   __hip_bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

#define HIP_BF16_FUNCTION(name, function)                         \
  __device__ inline __hip_bfloat16 h##name(__hip_bfloat16 x) {    \
    return __float2bfloat16(function(__bfloat162float(x)));       \
  }                                                               \
  __device__ inline __hip_bfloat162 h2##name(__hip_bfloat162 x) { \
    return {h##name(x.x), h##name(x.y)};                          \
  }
HIP_BF16_FUNCTION(exp, expf)
HIP_BF16_FUNCTION(exp2, exp2f)
HIP_BF16_FUNCTION(exp10, exp10f)
HIP_BF16_FUNCTION(log, logf)
HIP_BF16_FUNCTION(log2, log2f)
HIP_BF16_FUNCTION(log10, log10f)
HIP_BF16_FUNCTION(sqrt, sqrtf)
HIP_BF16_FUNCTION(rsqrt, rsqrtf)
HIP_BF16_FUNCTION(rcp, 1.0f /)
HIP_BF16_FUNCTION(sin, sinf)
HIP_BF16_FUNCTION(cos, cosf)
HIP_BF16_FUNCTION(floor, floorf)
HIP_BF16_FUNCTION(ceil, ceilf)
HIP_BF16_FUNCTION(trunc, truncf)
HIP_BF16_FUNCTION(rint, rintf)
#undef HIP_BF16_FUNCTION

__device__ inline __hip_bfloat162 atomicAdd(__hip_bfloat162* place, __hip_bfloat162 value) {
  return heddle_atomic_update(place, [=](__hip_bfloat162 before) -> __hip_bfloat162 {
    return {__hadd(before.x, value.x), __hadd(before.y, value.y)};
  });
}
