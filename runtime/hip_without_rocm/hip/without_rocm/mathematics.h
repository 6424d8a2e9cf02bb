// Mathematics of kernels where there is no ROCm: the functions that clang's own headers for HIP
// declare, in f32 and f64, with the overloads of <cmath>. hipcc includes these headers before every
// source. They call AMD's device library (ocml), which `heddle run` links (runtime/device_library).
// CUDA's functions are made of the same headers: where a header uses an instruction of AMD's, the
// instruction is replaced for NVIDIA.
//
// bench/records/mathematics.md has the errors of all functions, which
// tests/emulator/mathematics_test.cpp measures.
#pragma once

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

// Makes clang's headers declare operations with directed rounding. HeddleRounded below defines
// them.
#define OCML_BASIC_ROUNDED_OPERATIONS

#ifndef __HIP__
#pragma push_macro("__HIP__")
#define __HIP__ 1
// <__clang_hip_math.h> uses builtins for AMD's instructions, and functions that AMD's code
// generator expands. For NVIDIA, these macros replace such builtins and functions by others.
#define __builtin_amdgcn_exp2f __nvvm_ex2_approx_f
#define __builtin_amdgcn_logf __ocml_log2_f32
#define __builtin_amdgcn_rcpf __nvvm_rcp_approx_ftz_f
#define __builtin_amdgcn_rsqf(x) __ocml_rsqrt_f32(x)
#define __builtin_amdgcn_ldexpf __builtin_ldexpf
#define __builtin_amdgcn_ldexp __builtin_ldexp
#define __builtin_exp10f __ocml_exp10_f32
#define __builtin_exp2f __ocml_exp2_f32
#define __builtin_expf __ocml_exp_f32
#define __builtin_log10f __ocml_log10_f32
#define __builtin_log2f __ocml_log2_f32
#define __builtin_logbf __ocml_logb_f32
#define __builtin_logb __ocml_logb_f64
#define __builtin_logf __ocml_log_f32
#define __builtin_frexpf(x, exponent) heddle_frexp(x, exponent)
#define __builtin_frexp(x, exponent) heddle_frexp(x, exponent)
// __fdividef, __saturatef and __frsqrt_rn of CUDA differ from HIP's. So HIP's functions get other
// names here, and CUDA's are defined below.
#define __fdividef heddle_hip_fdividef
#define __saturatef heddle_hip_saturatef
#define __frsqrt_rn heddle_hip_frsqrt
#endif

#include <__clang_hip_libdevice_declares.h>

// Makes integer powers exact if the type can hold them. The powers of ocml are not always exact:
// 2^11 is off by an ulp in the pow of ROCm 5.2.
struct HeddlePowers {
  template <class Float>
  __device__ static bool is_product(Float a, Float b, Float& product) {
    product = a * b;
    return (sizeof(Float) == 8 ? __builtin_fma(a, b, -product) : __builtin_fmaf(a, b, -product)) ==
           0;
  }
  template <class Float>
  __device__ static bool exact(Float x, int exponent, Float& power) {
    unsigned left = exponent < 0 ? 0u - exponent : exponent;
    if (left > 1074 || !(__builtin_fabs(x) > 0) || !__builtin_isfinite(x)) return false;
    power = 1;
    for (Float square = x;;) {
      if ((left & 1) != 0 && !is_product(power, square, power)) return false;
      left >>= 1;
      if (left == 0) break;
      if (!is_product(square, square, square)) return false;
    }
    if (exponent < 0) power = 1 / power;
    return __builtin_isnormal(power);
  }
  template <class Float>
  __device__ static bool exact(Float x, Float exponent, Float& power) {
    const bool is_whole = __builtin_fabs(exponent) <= 1074 && Float(int(exponent)) == exponent;
    return is_whole && exact(x, int(exponent), power);
  }
};
#define HIP_POWER(name, Float, Exponent)                                   \
  __device__ inline Float heddle_##name(Float x, Exponent y) {             \
    Float power;                                                           \
    return HeddlePowers::exact(x, y, power) ? power : __ocml_##name(x, y); \
  }
HIP_POWER(pow_f32, float, float)
HIP_POWER(pow_f64, double, double)
HIP_POWER(pown_f32, float, int)
HIP_POWER(pown_f64, double, int)
#undef HIP_POWER
// Replacements for functions in which ocml 5.2 has a large error. For negative x, erfcx needs x * x
// in two parts for e^(x * x). The Bessel function I1 is NaN below -70. The f32 Gamma of negative
// numbers is off by 45 ulp.
__device__ inline double heddle_erfcx_f64(double x) {
#pragma clang fp contract(off)
  if (x > 25.0) {  // its series in 1 / (2 x x), of which the first term left out is below 1e-16
    const double t = 0.5 / (x * x);
    double sum = 1.0;
    for (int i = 13; i > 0; i -= 2) sum = __builtin_fma(-i * t, sum, 1.0);
    return 0.56418958354775628695 / x * sum;
  }
  if (!(x < -1.0)) return __ocml_erfcx_f64(x);
  const double square = x * x, low = __builtin_fma(x, x, -square), power = __ocml_exp_f64(square);
  const double twice = 2.0 * (low == low ? __builtin_fma(power, low, power) : power);
  return twice - __ocml_erfcx_f64(-x);
}
__device__ inline double heddle_i1_f64(double x) {
  return __builtin_copysign(__ocml_i1_f64(__builtin_fabs(x)), x);
}
__device__ inline float heddle_tgamma_f32(float x) {
  return x < 0.0f ? static_cast<float>(__ocml_tgamma_f64(x)) : __ocml_tgamma_f32(x);
}
#define __ocml_erfcx_f64 heddle_erfcx_f64
#define __ocml_i1_f64 heddle_i1_f64
#define __ocml_tgamma_f32 heddle_tgamma_f32
#define __ocml_pow_f32 heddle_pow_f32
#define __ocml_pow_f64 heddle_pow_f64
#define __ocml_pown_f32 heddle_pown_f32
#define __ocml_pown_f64 heddle_pown_f64

#ifdef __CUDA__
// No builtin of NVPTX's code generator.
extern "C" __device__ int heddle_frexp_exp_i32_f32(float);
extern "C" __device__ int heddle_frexp_exp_i32_f64(double);
extern "C" __device__ float heddle_frexp_mant_f32(float);
extern "C" __device__ double heddle_frexp_mant_f64(double);
__device__ inline float heddle_frexp(float x, int* exponent) {
  *exponent = heddle_frexp_exp_i32_f32(x);
  return heddle_frexp_mant_f32(x);
}
__device__ inline double heddle_frexp(double x, int* exponent) {
  *exponent = heddle_frexp_exp_i32_f64(x);
  return heddle_frexp_mant_f64(x);
}
#endif

// clang-format off
#include <__clang_hip_math.h>
#include <__clang_cuda_math_forward_declares.h>
#include <__clang_hip_cmath.h>
#define __nv_logb ::logb
#define __nv_logbf ::logbf
#define __nv_scalbn ::scalbn
#define __nv_scalbnf ::scalbnf
#include <__clang_cuda_complex_builtins.h>
// clang-format on
#undef __nv_logb
#undef __nv_logbf
#undef __nv_scalbn
#undef __nv_scalbnf
#undef __ocml_pow_f32
#undef __ocml_pow_f64
#undef __ocml_pown_f32
#undef __ocml_pown_f64
#undef __ocml_erfcx_f64
#undef __ocml_i1_f64
#undef __ocml_tgamma_f32

#ifdef __CUDA__
#undef __builtin_amdgcn_exp2f
#undef __builtin_amdgcn_logf
#undef __builtin_amdgcn_rcpf
#undef __builtin_amdgcn_rsqf
#undef __builtin_amdgcn_ldexpf
#undef __builtin_amdgcn_ldexp
#undef __builtin_exp10f
#undef __builtin_exp2f
#undef __builtin_expf
#undef __builtin_log10f
#undef __builtin_log2f
#undef __builtin_logbf
#undef __builtin_logb
#undef __builtin_logf
#undef __builtin_frexpf
#undef __builtin_frexp
#undef __fdividef
#undef __saturatef
#undef __frsqrt_rn
#pragma pop_macro("__HIP__")
#endif

// Sums, products, quotients and roots with directed rounding, which ocml 5.2 lacks. NVIDIA: by
// PTX's instructions. AMD: by instructions under another rounding mode in MODE (RDNA3 ISA, section
// 3.2.2, "FP_ROUND": 1 up, 2 down, 3 to zero).
#if defined(__NVPTX__)
#define HIP_ROUNDED(mode, number, name)                                                       \
  extern "C" __device__ inline float __ocml_add_##mode##_f32(float x, float y) {              \
    return __nvvm_add_##name##_f(x, y);                                                       \
  }                                                                                           \
  extern "C" __device__ inline double __ocml_add_##mode##_f64(double x, double y) {           \
    return __nvvm_add_##name##_d(x, y);                                                       \
  }                                                                                           \
  extern "C" __device__ inline float __ocml_mul_##mode##_f32(float x, float y) {              \
    return __nvvm_mul_##name##_f(x, y);                                                       \
  }                                                                                           \
  extern "C" __device__ inline double __ocml_mul_##mode##_f64(double x, double y) {           \
    return __nvvm_mul_##name##_d(x, y);                                                       \
  }                                                                                           \
  extern "C" __device__ inline float __ocml_div_##mode##_f32(float x, float y) {              \
    return __nvvm_div_##name##_f(x, y);                                                       \
  }                                                                                           \
  extern "C" __device__ inline double __ocml_div_##mode##_f64(double x, double y) {           \
    return __nvvm_div_##name##_d(x, y);                                                       \
  }                                                                                           \
  extern "C" __device__ inline float __ocml_sqrt_##mode##_f32(float x) {                      \
    return __nvvm_sqrt_##name##_f(x);                                                         \
  }                                                                                           \
  extern "C" __device__ inline double __ocml_sqrt_##mode##_f64(double x) {                    \
    return __nvvm_sqrt_##name##_d(x);                                                         \
  }                                                                                           \
  extern "C" __device__ inline float __ocml_fma_##mode##_f32(float x, float y, float z) {     \
    return __nvvm_fma_##name##_f(x, y, z);                                                    \
  }                                                                                           \
  extern "C" __device__ inline double __ocml_fma_##mode##_f64(double x, double y, double z) { \
    return __nvvm_fma_##name##_d(x, y, z);                                                    \
  }
#elif defined(__AMDGCN__)
struct HeddleRounded {
  // Changes the result of an operation that was rounded to nearest into the result of a directed
  // rounding: `near`, or a neighbour of it. `rest` is the exact result minus `near`, or any number
  // with the same sign.
  template <class Float>
  __device__ static Float directed(Float near, Float rest, int mode) {
    if (rest == Float(0) || rest != rest) return near;
    const bool up = mode == 1 || (mode == 3 && near < Float(0));
    if (up != (rest > Float(0)) || (mode == 3 && near == Float(0))) return near;
    const Float limit = up ? Float(__builtin_huge_val()) : -Float(__builtin_huge_val());
    return nextafter(near, limit);
  }
  // A number with the sign of x - a * b, computed without underflow.
  __device__ static float rest(float x, float a, float b) {
    const double rest = __builtin_fma(-static_cast<double>(a), static_cast<double>(b), x);
    return rest > 0 ? 1.0f : rest < 0 ? -1.0f : 0.0f;
  }
  __device__ static double rest(double x, double a, double b) {
    const bool is_tiny = __builtin_fabs(x) < 0x1p-700;
    const double scale = is_tiny ? 0x1p300 : 1.0;
    const bool is_first = __builtin_fabs(a) < __builtin_fabs(b);
    return __builtin_fma(is_first ? -a * scale : -a, is_first ? b : b * scale, x * scale);
  }
  template <class Float>
  __device__ static Float quotient(Float x, Float y, int mode) {
    const Float near = x / y;
    if (!__builtin_isfinite(near) || !__builtin_isfinite(y)) return near;
    const Float left = rest(x, near, y);
    return directed(near, __builtin_signbit(y) ? -left : left, mode);
  }
  template <class Float>
  __device__ static Float root(Float x, int mode) {
    const Float near = sqrt(x);
    return __builtin_isfinite(near) ? directed(near, rest(x, near, near), mode) : near;
  }
};
#define HIP_UNDER_MODE(number, text)                                      \
  "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), " #number " * 5\n\t" text \
  "\n\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0"
#define HIP_ROUNDED_OF(mode, number, type, T)                                                  \
  extern "C" __device__ inline T __ocml_add_##mode##_##type(T x, T y) {                        \
    T result;                                                                                  \
    asm(HIP_UNDER_MODE(number, "v_add_" #type " %0, %1, %2") : "=v"(result) : "v"(x), "v"(y)); \
    return result;                                                                             \
  }                                                                                            \
  extern "C" __device__ inline T __ocml_mul_##mode##_##type(T x, T y) {                        \
    T result;                                                                                  \
    asm(HIP_UNDER_MODE(number, "v_mul_" #type " %0, %1, %2") : "=v"(result) : "v"(x), "v"(y)); \
    return result;                                                                             \
  }                                                                                            \
  extern "C" __device__ inline T __ocml_fma_##mode##_##type(T x, T y, T z) {                   \
    T result;                                                                                  \
    asm(HIP_UNDER_MODE(number, "v_fma_" #type " %0, %1, %2, %3")                               \
        : "=v"(result)                                                                         \
        : "v"(x), "v"(y), "v"(z));                                                             \
    return result;                                                                             \
  }                                                                                            \
  extern "C" __device__ inline T __ocml_div_##mode##_##type(T x, T y) {                        \
    return HeddleRounded::quotient(x, y, number);                                              \
  }                                                                                            \
  extern "C" __device__ inline T __ocml_sqrt_##mode##_##type(T x) {                            \
    return HeddleRounded::root(x, number);                                                     \
  }
#define HIP_ROUNDED(mode, number, name)    \
  HIP_ROUNDED_OF(mode, number, f32, float) \
  HIP_ROUNDED_OF(mode, number, f64, double)
#else
#define HIP_ROUNDED(mode, number, name)
#endif
HIP_ROUNDED(rtp, 1, rp)
HIP_ROUNDED(rtn, 2, rm)
HIP_ROUNDED(rtz, 3, rz)
#undef HIP_ROUNDED
#undef HIP_ROUNDED_OF
#undef HIP_UNDER_MODE

#define HIP_TO_NEAREST(type, T, f)                                                            \
  extern "C" __device__ inline T __ocml_add_rte_##type(T x, T y) {                            \
    _Pragma("clang fp contract(off)") return x + y;                                           \
  }                                                                                           \
  extern "C" __device__ inline T __ocml_mul_rte_##type(T x, T y) {                            \
    _Pragma("clang fp contract(off)") return x * y;                                           \
  }                                                                                           \
  extern "C" __device__ inline T __ocml_div_rte_##type(T x, T y) { return x / y; }            \
  extern "C" __device__ inline T __ocml_sqrt_rte_##type(T x) { return __builtin_sqrt##f(x); } \
  extern "C" __device__ inline T __ocml_fma_rte_##type(T x, T y, T z) {                       \
    return __builtin_fma##f(x, y, z);                                                         \
  }
HIP_TO_NEAREST(f32, float, f)
HIP_TO_NEAREST(f64, double, )
#undef HIP_TO_NEAREST
#define HIP_DIFFERENCE(mode)                                                        \
  extern "C" __device__ inline float __ocml_sub_##mode##_f32(float x, float y) {    \
    return __ocml_add_##mode##_f32(x, -y);                                          \
  }                                                                                 \
  extern "C" __device__ inline double __ocml_sub_##mode##_f64(double x, double y) { \
    return __ocml_add_##mode##_f64(x, -y);                                          \
  }
HIP_DIFFERENCE(rte)
HIP_DIFFERENCE(rtn)
HIP_DIFFERENCE(rtp)
HIP_DIFFERENCE(rtz)
#undef HIP_DIFFERENCE

#ifdef __CUDA__
// CUDA's versions of __fdividef, __saturatef and __frsqrt_rn. Source: "CUDA C++ Programming Guide"
// 12.8, "Intrinsic Functions"; "CUDA Math API", "Single Precision Intrinsics".
__device__ inline float __fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
__device__ inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
__device__ inline float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x)));
}
#endif

// Operands of two types are converted to their common type. In f32 and f64, a NaN and a number give
// the number.
#define HIP_EXTREME(name, order)                            \
  template <class A, class B>                               \
  __host__ __device__ constexpr auto name(A a, B b) {       \
    using T = decltype(true ? a : b);                       \
    if constexpr (__is_same(T, float))                      \
      return __builtin_f##name##f(a, b);                    \
    else if constexpr (__is_same(T, double))                \
      return __builtin_f##name(a, b);                       \
    else {                                                  \
      const T x = static_cast<T>(a), y = static_cast<T>(b); \
      return y order x ? y : x;                             \
    }                                                       \
  }
HIP_EXTREME(min, <)
HIP_EXTREME(max, >)
#undef HIP_EXTREME
__device__ inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
__device__ inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
