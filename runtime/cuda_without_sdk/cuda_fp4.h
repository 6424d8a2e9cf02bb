// <cuda_fp4.h> where there is no CUDA SDK: numbers of four bits (E2M1) and their conversions, in
// software. They round to nearest, ties to even. Numbers beyond the largest, and NaN, become the
// largest. Source of the format: "OCP Microscaling Formats (MX) Specification" 1.0, section 5.3.3;
// of the names: "CUDA Math API", "FP4".
#pragma once

#include "cuda_fp8.h"

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 = 0 };
#ifndef HEDDLE_ROUND_MODES
#define HEDDLE_ROUND_MODES
enum cudaRoundMode {
  cudaRoundNearest = 0,
  cudaRoundZero = 1,
  cudaRoundPosInf = 2,
  cudaRoundMinInf = 3
};
#endif

__host__ __device__ constexpr float heddle_fp4_value(unsigned code) {
  const unsigned size = code & 7;
  const float value = size < 4 ? 0.5f * size : size < 6 ? size - 2.0f : 2.0f * size - 8.0f;
  return (code & 8) != 0 ? -value : value;
}
// The code of the nearest of the eight magnitudes. Half-way between two, the even code is taken.
__host__ __device__ constexpr __nv_fp4_storage_t heddle_fp4_of(double x) {
  const bool is_number = x == x;
  const unsigned sign = is_number && __builtin_signbit(x) ? 8 : 0;
  const double size = x < 0 ? -x : x;
  unsigned code = is_number ? 0 : 7;
  for (unsigned next = 1; is_number && next < 8; ++next) {
    const double middle = 0.5 * (heddle_fp4_value(next - 1) + heddle_fp4_value(next));
    if (size > middle || (size == middle && next % 2 == 0)) code = next;
  }
  return static_cast<__nv_fp4_storage_t>(sign | code);
}

#define HEDDLE_FP4_NEAREST __nv_fp4_interpretation_t = __NV_E2M1, cudaRoundMode = cudaRoundNearest
__host__ __device__ inline __nv_fp4_storage_t __nv_cvt_float_to_fp4(float x, HEDDLE_FP4_NEAREST) {
  return heddle_fp4_of(x);
}
__host__ __device__ inline __nv_fp4_storage_t __nv_cvt_double_to_fp4(double x, HEDDLE_FP4_NEAREST) {
  return heddle_fp4_of(x);
}
__host__ __device__ inline __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(__half_raw x,
                                                                      HEDDLE_FP4_NEAREST) {
  return heddle_fp4_of(__half2float(__half(x)));
}
__host__ __device__ inline __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16 x,
                                                                          HEDDLE_FP4_NEAREST) {
  return heddle_fp4_of(__bfloat162float(x));
}
__host__ __device__ inline __nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(float2 x,
                                                                         HEDDLE_FP4_NEAREST) {
  return static_cast<__nv_fp4x2_storage_t>(heddle_fp4_of(x.x) | heddle_fp4_of(x.y) << 4);
}
__host__ __device__ inline __nv_fp4x2_storage_t __nv_cvt_double2_to_fp4x2(double2 x,
                                                                          HEDDLE_FP4_NEAREST) {
  return static_cast<__nv_fp4x2_storage_t>(heddle_fp4_of(x.x) | heddle_fp4_of(x.y) << 4);
}
#undef HEDDLE_FP4_NEAREST
__host__ __device__ inline __half_raw __nv_cvt_fp4_to_halfraw(
    __nv_fp4_storage_t x, __nv_fp4_interpretation_t = __NV_E2M1) {
  return __float2half(heddle_fp4_value(x));
}
__host__ __device__ inline __half2_raw __nv_cvt_fp4x2_to_halfraw2(
    __nv_fp4x2_storage_t x, __nv_fp4_interpretation_t = __NV_E2M1) {
  return __floats2half2_rn(heddle_fp4_value(x & 15u), heddle_fp4_value(x >> 4));
}

struct __nv_fp4_e2m1 {
  __nv_fp4_storage_t __x;
  __nv_fp4_e2m1() = default;
  __host__ __device__ explicit __nv_fp4_e2m1(float x) : __x(heddle_fp4_of(x)) {}
  __host__ __device__ explicit __nv_fp4_e2m1(double x) : __x(heddle_fp4_of(x)) {}
  __host__ __device__ explicit __nv_fp4_e2m1(int x) : __x(heddle_fp4_of(x)) {}
  __host__ __device__ explicit __nv_fp4_e2m1(__half x) : __x(heddle_fp4_of(__half2float(x))) {}
  __host__ __device__ explicit __nv_fp4_e2m1(__nv_bfloat16 x)
      : __x(heddle_fp4_of(__bfloat162float(x))) {}
  __host__ __device__ explicit operator float() const { return heddle_fp4_value(__x); }
  __host__ __device__ explicit operator double() const { return heddle_fp4_value(__x); }
  __host__ __device__ explicit operator __half() const {
    return __float2half(heddle_fp4_value(__x));
  }
  __host__ __device__ explicit operator bool() const { return (__x & 7) != 0; }
};
// Two numbers in a byte; the first is in the low bits.
struct __nv_fp4x2_e2m1 {
  __nv_fp4x2_storage_t __x;
  __nv_fp4x2_e2m1() = default;
  __host__ __device__ explicit __nv_fp4x2_e2m1(float2 x) : __x(__nv_cvt_float2_to_fp4x2(x)) {}
  __host__ __device__ explicit __nv_fp4x2_e2m1(double2 x) : __x(__nv_cvt_double2_to_fp4x2(x)) {}
  __host__ __device__ explicit operator float2() const {
    return make_float2(heddle_fp4_value(__x & 15u), heddle_fp4_value(__x >> 4));
  }
  __host__ __device__ explicit operator __half2() const {
    return __half2(__nv_cvt_fp4x2_to_halfraw2(__x));
  }
};
struct __nv_fp4x4_e2m1 {
  __nv_fp4x4_storage_t __x;
  __nv_fp4x4_e2m1() = default;
  __host__ __device__ explicit __nv_fp4x4_e2m1(float4 x)
      : __x(static_cast<__nv_fp4x4_storage_t>(__nv_cvt_float2_to_fp4x2(make_float2(x.x, x.y)) |
                                              __nv_cvt_float2_to_fp4x2(make_float2(x.z, x.w))
                                                  << 8)) {}
  __host__ __device__ explicit operator float4() const {
    return make_float4(heddle_fp4_value(__x & 15u), heddle_fp4_value(__x >> 4 & 15u),
                       heddle_fp4_value(__x >> 8 & 15u), heddle_fp4_value(__x >> 12));
  }
};
