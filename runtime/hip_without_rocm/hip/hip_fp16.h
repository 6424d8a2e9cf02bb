// What kernels use of <hip/hip_fp16.h>, where there is no ROCm: see hip_runtime.h beside it.
#pragma once

#include "hip_runtime.h"

using __half = _Float16;
using half = _Float16;
using __half2 = _Float16 __attribute__((ext_vector_type(2)));
using half2 = __half2;

__device__ inline float __half2float(__half value) { return value; }
__device__ inline __half __float2half(float value) { return static_cast<__half>(value); }
__device__ inline __half __float2half_rn(float value) { return static_cast<__half>(value); }
__device__ inline __half __int2half_rn(int value) { return static_cast<__half>(value); }
__device__ inline int __half2int_rz(__half value) { return static_cast<int>(value); }
__device__ inline unsigned short __half_as_ushort(__half x) {
  return __builtin_bit_cast(unsigned short, x);
}
__device__ inline __half __ushort_as_half(unsigned short x) {
  return __builtin_bit_cast(__half, x);
}

__device__ inline __half __hadd(__half a, __half b) { return a + b; }
__device__ inline __half __hsub(__half a, __half b) { return a - b; }
__device__ inline __half __hmul(__half a, __half b) { return a * b; }
__device__ inline __half __hdiv(__half a, __half b) { return a / b; }
__device__ inline __half __hneg(__half a) { return -a; }
__device__ inline __half __habs(__half a) { return __builtin_elementwise_abs(a); }
__device__ inline __half __hfma(__half a, __half b, __half c) {
  return __builtin_elementwise_fma(a, b, c);
}
__device__ inline __half __hmax(__half a, __half b) { return __builtin_elementwise_maxnum(a, b); }
__device__ inline __half __hmin(__half a, __half b) { return __builtin_elementwise_minnum(a, b); }
__device__ inline bool __heq(__half a, __half b) { return a == b; }
__device__ inline bool __hne(__half a, __half b) { return a != b; }
__device__ inline bool __hlt(__half a, __half b) { return a < b; }
__device__ inline bool __hle(__half a, __half b) { return a <= b; }
__device__ inline bool __hgt(__half a, __half b) { return a > b; }
__device__ inline bool __hge(__half a, __half b) { return a >= b; }
__device__ inline bool __hisnan(__half a) { return a != a; }
__device__ inline __half hexp(__half x) { return static_cast<__half>(expf(x)); }
__device__ inline __half hlog(__half x) { return static_cast<__half>(logf(x)); }
__device__ inline __half hsqrt(__half x) { return static_cast<__half>(sqrtf(x)); }
__device__ inline __half hrsqrt(__half x) { return static_cast<__half>(rsqrtf(x)); }
__device__ inline __half hrcp(__half x) { return static_cast<__half>(1.0f / x); }

__device__ inline __half2 __halves2half2(__half low, __half high) { return {low, high}; }
__device__ inline __half2 make_half2(__half low, __half high) { return {low, high}; }
__device__ inline __half2 __half2half2(__half x) { return {x, x}; }
__device__ inline __half2 __float2half2_rn(float x) { return __half2half2(__float2half(x)); }
__device__ inline __half2 __floats2half2_rn(float low, float high) {
  return {__float2half(low), __float2half(high)};
}
__device__ inline __half2 __float22half2_rn(float2 x) { return __floats2half2_rn(x.x, x.y); }
__device__ inline float2 __half22float2(__half2 x) { return {x.x, x.y}; }
__device__ inline __half __low2half(__half2 x) { return x.x; }
__device__ inline __half __high2half(__half2 x) { return x.y; }
__device__ inline float __low2float(__half2 x) { return x.x; }
__device__ inline float __high2float(__half2 x) { return x.y; }
__device__ inline __half2 __hadd2(__half2 a, __half2 b) { return a + b; }
__device__ inline __half2 __hsub2(__half2 a, __half2 b) { return a - b; }
__device__ inline __half2 __hmul2(__half2 a, __half2 b) { return a * b; }
__device__ inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __builtin_elementwise_fma(a, b, c);
}
