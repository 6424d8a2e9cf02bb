// The parts of <hip/hip_fp16.h> that programs use, for systems without ROCm: see hip_runtime.h in
// this folder. As in ROCm, __half is a class, which differs from _Float16 but converts to it.
#pragma once

#ifndef __CUDA__  // cuda_runtime.h is there
#include "hip_runtime.h"
#endif

struct __half_raw {
  union {
    _Float16 data;
    unsigned short x;
  };
};

struct __half {
  union {
    _Float16 data;
    unsigned short __x;
  };

  __half() = default;
  __host__ __device__ constexpr __half(_Float16 x) : data(x) {}
  __host__ __device__ constexpr __half(float x) : data(static_cast<_Float16>(x)) {}
  __host__ __device__ constexpr __half(double x) : data(static_cast<_Float16>(x)) {}
  __host__ __device__ constexpr __half(int x) : data(static_cast<_Float16>(x)) {}
  __host__ __device__ constexpr __half(unsigned x) : data(static_cast<_Float16>(x)) {}
  __host__ __device__ constexpr __half(long x) : data(static_cast<_Float16>(x)) {}
  __host__ __device__ constexpr __half(unsigned long x) : data(static_cast<_Float16>(x)) {}
  __host__ __device__ constexpr __half(__half_raw x) : data(x.data) {}
  __host__ __device__ constexpr operator _Float16() const { return data; }
  __host__ __device__ constexpr operator __half_raw() const { return {data}; }
  __host__ __device__ constexpr __half operator+() const { return *this; }
  __host__ __device__ constexpr __half operator-() const { return static_cast<_Float16>(-data); }
  __host__ __device__ constexpr __half& operator++() { return *this = __half(data + 1); }
  __host__ __device__ constexpr __half& operator--() { return *this = __half(data - 1); }
  __host__ __device__ constexpr __half operator++(int) {
    const __half before = *this;
    ++*this;
    return before;
  }
  __host__ __device__ constexpr __half operator--(int) {
    const __half before = *this;
    --*this;
    return before;
  }
};
static_assert(sizeof(__half) == 2);
using half = __half;

// An operator on two halves gives a half. With a float or double the result is of that type; with
// an integer it is a half.
#define HIP_HALF_OPERATOR(o)                                                                 \
  __host__ __device__ constexpr __half operator o(__half a, __half b) {                      \
    return static_cast<_Float16>(a.data o b.data);                                           \
  }                                                                                          \
  __host__ __device__ constexpr float operator o(__half a, float b) { return a.data o b; }   \
  __host__ __device__ constexpr float operator o(float a, __half b) { return a o b.data; }   \
  __host__ __device__ constexpr double operator o(__half a, double b) { return a.data o b; } \
  __host__ __device__ constexpr double operator o(double a, __half b) { return a o b.data; } \
  __host__ __device__ constexpr __half operator o(__half a, int b) { return a o __half(b); } \
  __host__ __device__ constexpr __half operator o(int a, __half b) { return __half(a) o b; } \
  __host__ __device__ constexpr __half& operator o## = (__half & a, __half b) { return a = a o b; }
HIP_HALF_OPERATOR(+)
HIP_HALF_OPERATOR(-)
HIP_HALF_OPERATOR(*)
HIP_HALF_OPERATOR(/)
#undef HIP_HALF_OPERATOR
#define HIP_HALF_COMPARISON(o)                                                                  \
  __host__ __device__ constexpr bool operator o(__half a, __half b) { return a.data o b.data; } \
  __host__ __device__ constexpr bool operator o(__half a, float b) { return a.data o b; }       \
  __host__ __device__ constexpr bool operator o(float a, __half b) { return a o b.data; }       \
  __host__ __device__ constexpr bool operator o(__half a, double b) { return a.data o b; }      \
  __host__ __device__ constexpr bool operator o(double a, __half b) { return a o b.data; }      \
  __host__ __device__ constexpr bool operator o(__half a, int b) { return a.data o b; }         \
  __host__ __device__ constexpr bool operator o(int a, __half b) { return a o b.data; }
HIP_HALF_COMPARISON(==)
HIP_HALF_COMPARISON(!=)
HIP_HALF_COMPARISON(<)
HIP_HALF_COMPARISON(>)
HIP_HALF_COMPARISON(<=)
HIP_HALF_COMPARISON(>=)
#undef HIP_HALF_COMPARISON

struct __attribute__((aligned(4))) __half2_raw {
  unsigned short x, y;
};

struct __attribute__((aligned(4))) __half2 {
  using Vector = _Float16 __attribute__((ext_vector_type(2)));
  __half x, y;

  __half2() = default;
  __host__ __device__ constexpr __half2(__half low, __half high) : x(low), y(high) {}
  __host__ __device__ constexpr __half2(Vector v) : x(v.x), y(v.y) {}
  __host__ __device__ constexpr __half2(__half2_raw bits)
      : x(__builtin_bit_cast(_Float16, bits.x)), y(__builtin_bit_cast(_Float16, bits.y)) {}
  __host__ __device__ constexpr operator Vector() const { return {x.data, y.data}; }
  __host__ __device__ constexpr operator __half2_raw() const {
    return {__builtin_bit_cast(unsigned short, x.data), __builtin_bit_cast(unsigned short, y.data)};
  }
};
using half2 = __half2;

__host__ __device__ inline float __half2float(__half x) { return x.data; }
__host__ __device__ inline __half __float2half(float x) { return x; }
__host__ __device__ inline __half __float2half_rn(float x) { return x; }
__host__ __device__ inline __half __double2half(double x) { return x; }
// Conversions to integers: a number outside the integer type becomes the nearest integer, and a NaN
// becomes 0 (CUDA Math API, "Half Precision Conversion and Data Movement").
template <class T>
__host__ __device__ inline T heddle_half_to_integer(double whole) {
  constexpr bool is_signed = static_cast<T>(-1) < 0;
  constexpr T most =
      is_signed ? static_cast<T>((1ull << (8 * sizeof(T) - 1)) - 1) : static_cast<T>(~0ull);
  constexpr T least = static_cast<T>(~most);
  if (whole != whole) return 0;
  if (whole >= static_cast<double>(most)) return most;
  return whole <= static_cast<double>(least) ? least : static_cast<T>(whole);
}
#define HIP_HALF_TO(name, T)                                           \
  __host__ __device__ inline T __half2##name##_rn(__half x) {          \
    return heddle_half_to_integer<T>(__builtin_rint(double(x.data)));  \
  }                                                                    \
  __host__ __device__ inline T __half2##name##_rz(__half x) {          \
    return heddle_half_to_integer<T>(__builtin_trunc(double(x.data))); \
  }                                                                    \
  __host__ __device__ inline T __half2##name##_rd(__half x) {          \
    return heddle_half_to_integer<T>(__builtin_floor(double(x.data))); \
  }                                                                    \
  __host__ __device__ inline T __half2##name##_ru(__half x) {          \
    return heddle_half_to_integer<T>(__builtin_ceil(double(x.data)));  \
  }                                                                    \
  __host__ __device__ inline __half __##name##2half_rn(T x) { return static_cast<_Float16>(x); }
HIP_HALF_TO(short, short)
HIP_HALF_TO(ushort, unsigned short)
HIP_HALF_TO(int, int)
HIP_HALF_TO(uint, unsigned)
HIP_HALF_TO(ll, long long)
HIP_HALF_TO(ull, unsigned long long)
#undef HIP_HALF_TO
__host__ __device__ inline unsigned short __half_as_ushort(__half x) { return x.__x; }
__host__ __device__ inline short __half_as_short(__half x) { return static_cast<short>(x.__x); }
__host__ __device__ inline __half __ushort_as_half(unsigned short x) {
  return __builtin_bit_cast(_Float16, x);
}
__host__ __device__ inline __half __short_as_half(short x) {
  return __builtin_bit_cast(_Float16, x);
}

__host__ __device__ inline __half __hadd(__half a, __half b) { return a + b; }
__host__ __device__ inline __half __hsub(__half a, __half b) { return a - b; }
__host__ __device__ inline __half __hmul(__half a, __half b) { return a * b; }
__host__ __device__ inline __half __hdiv(__half a, __half b) { return a / b; }
__host__ __device__ inline __half __hneg(__half a) { return -a; }
__host__ __device__ inline __half __habs(__half a) { return __builtin_elementwise_abs(a.data); }
__host__ __device__ inline __half __hfma(__half a, __half b, __half c) {
  return __builtin_elementwise_fma(a.data, b.data, c.data);
}
__host__ __device__ inline __half __hmax(__half a, __half b) {
  return __builtin_elementwise_maxnum(a.data, b.data);
}
__host__ __device__ inline __half __hmin(__half a, __half b) {
  return __builtin_elementwise_minnum(a.data, b.data);
}
__host__ __device__ inline bool __heq(__half a, __half b) { return a == b; }
// If an operand is NaN, __hne is false in CUDA, like CUDA's other comparisons, and true in HIP.
__host__ __device__ inline bool __hne(__half a, __half b) {
#ifdef CUDART_VERSION
  return a < b || a > b;
#else
  return a != b;
#endif
}
__host__ __device__ inline bool __hlt(__half a, __half b) { return a < b; }
__host__ __device__ inline bool __hle(__half a, __half b) { return a <= b; }
__host__ __device__ inline bool __hgt(__half a, __half b) { return a > b; }
__host__ __device__ inline bool __hge(__half a, __half b) { return a >= b; }
__host__ __device__ inline bool __hisnan(__half a) { return a != a; }
// 1 for infinity, -1 for minus infinity: "CUDA Math API", "Half Comparison Functions".
__host__ __device__ inline int __hisinf(__half a) {
  return (a.__x & 0x7fff) != 0x7c00 ? 0 : a.__x == 0x7c00 ? 1 : -1;
}
// Unordered comparisons: they are also true if an operand is NaN.
#define HIP_HALF_UNORDERED(name, opposite) \
  __host__ __device__ inline bool name(__half a, __half b) { return !(a opposite b); }
HIP_HALF_UNORDERED(__hltu, >=)
HIP_HALF_UNORDERED(__hleu, >)
HIP_HALF_UNORDERED(__hgtu, <=)
HIP_HALF_UNORDERED(__hgeu, <)
#undef HIP_HALF_UNORDERED
__host__ __device__ inline bool __hneu(__half a, __half b) { return a != b; }
__host__ __device__ inline bool __hequ(__half a, __half b) { return !(a < b || a > b); }
__host__ __device__ inline __half __hmax_nan(__half a, __half b) {
  return a != a || b != b ? __ushort_as_half(0x7fff) : __hmax(a, b);
}
__host__ __device__ inline __half __hmin_nan(__half a, __half b) {
  return a != a || b != b ? __ushort_as_half(0x7fff) : __hmin(a, b);
}
// Clamps to 0 to 1; a NaN becomes 0.
__host__ __device__ inline __half heddle_half_saturated(__half a) {
  const __half zero(0.0f), one(1.0f);
  return a > zero ? (a < one ? a : one) : zero;
}
__host__ __device__ inline __half __hadd_sat(__half a, __half b) {
  return heddle_half_saturated(a + b);
}
__host__ __device__ inline __half __hsub_sat(__half a, __half b) {
  return heddle_half_saturated(a - b);
}
__host__ __device__ inline __half __hmul_sat(__half a, __half b) {
  return heddle_half_saturated(a * b);
}
__host__ __device__ inline __half __hfma_sat(__half a, __half b, __half c) {
  return heddle_half_saturated(__hfma(a, b, c));
}
// Clamps to at least 0; a NaN stays one.
__host__ __device__ inline __half __hfma_relu(__half a, __half b, __half c) {
  const __half sum = __hfma(a, b, c);
  return sum < __half(0.0f) ? __half(0.0f) : sum;
}
__device__ inline __half hexp(__half x) { return expf(__half2float(x)); }
__device__ inline __half hlog(__half x) { return logf(__half2float(x)); }
__device__ inline __half hsqrt(__half x) { return sqrtf(__half2float(x)); }
__device__ inline __half hrsqrt(__half x) { return rsqrtf(__half2float(x)); }
__device__ inline __half hsin(__half x) { return sinf(__half2float(x)); }
__device__ inline __half hcos(__half x) { return cosf(__half2float(x)); }
__device__ inline __half hfloor(__half x) { return floorf(__half2float(x)); }
__device__ inline __half hceil(__half x) { return ceilf(__half2float(x)); }
__device__ inline __half htrunc(__half x) { return truncf(__half2float(x)); }
__device__ inline __half hrint(__half x) { return rintf(__half2float(x)); }
__device__ inline __half hexp2(__half x) { return exp2f(__half2float(x)); }
__device__ inline __half hlog2(__half x) { return log2f(__half2float(x)); }
__device__ inline __half hlog10(__half x) { return log10f(__half2float(x)); }
__host__ __device__ inline __half hrcp(__half x) { return 1.0f / x; }

__host__ __device__ inline __half2 __halves2half2(__half low, __half high) { return {low, high}; }
__host__ __device__ inline __half2 make_half2(__half low, __half high) { return {low, high}; }
__host__ __device__ inline __half2 __half2half2(__half x) { return {x, x}; }
__host__ __device__ inline __half2 __float2half2_rn(float x) { return {x, x}; }
__host__ __device__ inline __half2 __floats2half2_rn(float low, float high) { return {low, high}; }
__host__ __device__ inline __half2 __float22half2_rn(float2 x) { return {x.x, x.y}; }
__host__ __device__ inline float2 __half22float2(__half2 x) { return {x.x.data, x.y.data}; }
__host__ __device__ inline __half __low2half(__half2 x) { return x.x; }
__host__ __device__ inline __half __high2half(__half2 x) { return x.y; }
__host__ __device__ inline float __low2float(__half2 x) { return x.x.data; }
__host__ __device__ inline float __high2float(__half2 x) { return x.y.data; }
#define HIP_HALF2_OPERATOR(o, name)                                           \
  __host__ __device__ inline __half2 operator o(__half2 a, __half2 b) {       \
    return static_cast<__half2::Vector>(a) o static_cast<__half2::Vector>(b); \
  }                                                                           \
  __host__ __device__ inline __half2 name(__half2 a, __half2 b) { return a o b; }
HIP_HALF2_OPERATOR(+, __hadd2)
HIP_HALF2_OPERATOR(-, __hsub2)
HIP_HALF2_OPERATOR(*, __hmul2)
HIP_HALF2_OPERATOR(/, __h2div)
#undef HIP_HALF2_OPERATOR
#define HIP_HALF2_ASSIGNMENT(o) \
  __host__ __device__ inline __half2& operator o## = (__half2 & a, __half2 b) { return a = a o b; }
HIP_HALF2_ASSIGNMENT(+)
HIP_HALF2_ASSIGNMENT(-)
HIP_HALF2_ASSIGNMENT(*)
HIP_HALF2_ASSIGNMENT(/)
#undef HIP_HALF2_ASSIGNMENT
__host__ __device__ inline __half2 operator-(__half2 a) { return {-a.x, -a.y}; }
__host__ __device__ inline __half2 operator+(__half2 a) { return a; }

// Comparisons of two pairs of halves, in three forms. The first gives 1 or 0 for each half. The
// second (_mask) gives 16 bits of ones or zeros for each half. The third (__hb) is true if the
// comparison holds for the two halves.
#define HIP_HALF2_COMPARISON(name)                                                        \
  __host__ __device__ inline __half2 __h##name##2(__half2 a, __half2 b) {                 \
    return {__half(int(__h##name(a.x, b.x))), __half(int(__h##name(a.y, b.y)))};          \
  }                                                                                       \
  __host__ __device__ inline unsigned __h##name##2_mask(__half2 a, __half2 b) {           \
    return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0); \
  }                                                                                       \
  __host__ __device__ inline bool __hb##name##2(__half2 a, __half2 b) {                   \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                    \
  }
HIP_HALF2_COMPARISON(eq)
HIP_HALF2_COMPARISON(ne)
HIP_HALF2_COMPARISON(lt)
HIP_HALF2_COMPARISON(le)
HIP_HALF2_COMPARISON(gt)
HIP_HALF2_COMPARISON(ge)
HIP_HALF2_COMPARISON(equ)
HIP_HALF2_COMPARISON(neu)
HIP_HALF2_COMPARISON(ltu)
HIP_HALF2_COMPARISON(leu)
HIP_HALF2_COMPARISON(gtu)
HIP_HALF2_COMPARISON(geu)
#undef HIP_HALF2_COMPARISON
// The operators are true if the comparison holds for both halves.
__host__ __device__ inline bool operator==(__half2 a, __half2 b) { return __hbeq2(a, b); }
__host__ __device__ inline bool operator!=(__half2 a, __half2 b) { return __hbneu2(a, b); }
__host__ __device__ inline bool operator<(__half2 a, __half2 b) { return __hblt2(a, b); }
__host__ __device__ inline bool operator<=(__half2 a, __half2 b) { return __hble2(a, b); }
__host__ __device__ inline bool operator>(__half2 a, __half2 b) { return __hbgt2(a, b); }
__host__ __device__ inline bool operator>=(__half2 a, __half2 b) { return __hbge2(a, b); }

#define HIP_HALF2_OF_TWO(name, of_one)                            \
  __host__ __device__ inline __half2 name(__half2 a, __half2 b) { \
    return {of_one(a.x, b.x), of_one(a.y, b.y)};                  \
  }
HIP_HALF2_OF_TWO(__hmax2, __hmax)
HIP_HALF2_OF_TWO(__hmin2, __hmin)
HIP_HALF2_OF_TWO(__hmax2_nan, __hmax_nan)
HIP_HALF2_OF_TWO(__hmin2_nan, __hmin_nan)
HIP_HALF2_OF_TWO(__hadd2_sat, __hadd_sat)
HIP_HALF2_OF_TWO(__hsub2_sat, __hsub_sat)
HIP_HALF2_OF_TWO(__hmul2_sat, __hmul_sat)
#undef HIP_HALF2_OF_TWO
__host__ __device__ inline __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
  return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
}
__host__ __device__ inline __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) {
  return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
}
__host__ __device__ inline __half2 __hisnan2(__half2 a) {
  return {__half(int(__hisnan(a.x))), __half(int(__hisnan(a.y)))};
}
// Pairs made of the halves of one or two other pairs.
__host__ __device__ inline __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }
__host__ __device__ inline __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
__host__ __device__ inline __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
__host__ __device__ inline __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
__host__ __device__ inline __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
__host__ __device__ inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  using Vector = __half2::Vector;
  return __builtin_elementwise_fma(static_cast<Vector>(a), static_cast<Vector>(b),
                                   static_cast<Vector>(c));
}

__host__ __device__ inline __half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
__host__ __device__ inline __half2 __hneg2(__half2 a) { return {__hneg(a.x), __hneg(a.y)}; }

__device__ inline __half hexp10(__half x) { return exp10f(__half2float(x)); }
#define HIP_OF_EACH_HALF(name) \
  __device__ inline __half2 h2##name(__half2 x) { return {h##name(x.x), h##name(x.y)}; }
HIP_OF_EACH_HALF(exp)
HIP_OF_EACH_HALF(exp2)
HIP_OF_EACH_HALF(exp10)
HIP_OF_EACH_HALF(log)
HIP_OF_EACH_HALF(log2)
HIP_OF_EACH_HALF(log10)
HIP_OF_EACH_HALF(sqrt)
HIP_OF_EACH_HALF(rsqrt)
HIP_OF_EACH_HALF(rcp)
HIP_OF_EACH_HALF(sin)
HIP_OF_EACH_HALF(cos)
HIP_OF_EACH_HALF(floor)
HIP_OF_EACH_HALF(ceil)
HIP_OF_EACH_HALF(trunc)
HIP_OF_EACH_HALF(rint)
#undef HIP_OF_EACH_HALF

__device__ inline __half atomicAdd(__half* place, __half value) {
  return __scoped_atomic_fetch_add(&place->data, value.data, __ATOMIC_RELAXED,
                                   __MEMORY_SCOPE_DEVICE);
}
__device__ inline __half2 atomicAdd(__half2* place, __half2 value) {
  return heddle_atomic_update(place, [=](__half2 before) { return before + value; });
}
