// <hip/hip_bfloat16.h>, the older header of ROCm's bf16, where there is no ROCm.
#pragma once

#ifndef __CUDA__
#include "hip_runtime.h"
#endif

struct hip_bfloat16 {
  unsigned short data;

  enum truncate_t { truncate };
  hip_bfloat16() = default;
  // To the nearest, ties to even; a NaN stays one.
  __host__ __device__ explicit constexpr hip_bfloat16(float x) : data(rounded(x)) {}
  __host__ __device__ explicit constexpr hip_bfloat16(float x, truncate_t)
      : data(static_cast<unsigned short>(__builtin_bit_cast(unsigned, x) >> 16)) {}
  __host__ __device__ constexpr operator float() const {
    return __builtin_bit_cast(float, static_cast<unsigned>(data) << 16);
  }
  __host__ __device__ static constexpr hip_bfloat16 round_to_bfloat16(float x) {
    return hip_bfloat16(x);
  }

 private:
  __host__ __device__ static constexpr unsigned short rounded(float x) {
    const unsigned bits = __builtin_bit_cast(unsigned, x);
    const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    return static_cast<unsigned short>(is_nan ? bits >> 16 | 0x40u
                                              : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }
};
static_assert(sizeof(hip_bfloat16) == 2);

#define HIP_BFLOAT16_OPERATOR(o)                                                                  \
  __host__ __device__ constexpr hip_bfloat16 operator o(hip_bfloat16 a, hip_bfloat16 b) {         \
    return hip_bfloat16(static_cast<float>(a) o static_cast<float>(b));                           \
  }                                                                                               \
  __host__ __device__ constexpr hip_bfloat16& operator o## = (hip_bfloat16 & a, hip_bfloat16 b) { \
    return a = a o b;                                                                             \
  }
HIP_BFLOAT16_OPERATOR(+)
HIP_BFLOAT16_OPERATOR(-)
HIP_BFLOAT16_OPERATOR(*)
HIP_BFLOAT16_OPERATOR(/)
#undef HIP_BFLOAT16_OPERATOR
__host__ __device__ constexpr hip_bfloat16 operator-(hip_bfloat16 a) {
  a.data ^= 0x8000;
  return a;
}
