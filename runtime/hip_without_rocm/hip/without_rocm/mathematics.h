// Functions of <hip/hip_runtime.h> where there is no ROCm, and so no device library of AMD's.
//
// tests/emulator/mathematics_test.cpp holds them against float64: expf, exp2f and rsqrtf to 2 ulp,
// the other f32 functions to 1, subnormal results and arguments included; sqrtf, rounding, minima
// and maxima are exact. The f64 functions are good to about 1e-14 and not tested. The argument of
// sin, cos and tan is at most 2^20. Names with two leading underlines are as the full ones, not
// faster.
#pragma once

// What a GPU has an instruction for, and the others do not.
struct HipInstructions {
#ifdef __NVPTX__
  __device__ static float exp2(float x) { return __nvvm_ex2_approx_f(x); }
  __device__ static float rsqrt(float x) { return __nvvm_rsqrt_approx_f(x); }
  // x 2^e in three steps, none of which leaves the range of f64 before the last.
  __device__ static double scaled(double x, int e) {
    e = e < -3000 ? -3000 : e > 3000 ? 3000 : e;
    const int third = e / 3, rest = e - 2 * third;
    const auto power = [](int n) {
      return __builtin_bit_cast(double, static_cast<long long>(n + 1023) << 52);
    };
    return x * power(third) * power(third) * power(rest);
  }
  __device__ static float scaled(float x, int e) {
    return static_cast<float>(scaled(static_cast<double>(x), e));
  }
#elif defined(__AMDGCN__)
  __device__ static float exp2(float x) { return __builtin_amdgcn_exp2f(x); }
  __device__ static float rsqrt(float x) { return __builtin_amdgcn_rsqf(x); }
  __device__ static double scaled(double x, int e) { return __builtin_ldexp(x, e); }
  __device__ static float scaled(float x, int e) { return __builtin_ldexpf(x, e); }
#else  // the host compiles what it never calls
  __device__ static float exp2(float x);
  __device__ static float rsqrt(float x);
  __device__ static double scaled(double x, int e);
  __device__ static float scaled(float x, int e);
#endif
};

// The exact ones, of f32 and f64: instructions, or short sequences of the compiler's.
#define HIP_ONE(name)                                                         \
  __device__ inline float name##f(float x) { return __builtin_##name##f(x); } \
  __device__ inline double name(double x) { return __builtin_##name(x); }     \
  __device__ inline float name(float x) { return __builtin_##name##f(x); }
#define HIP_TWO(name)                                                                     \
  __device__ inline float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
  __device__ inline double name(double x, double y) { return __builtin_##name(x, y); }    \
  __device__ inline float name(float x, float y) { return __builtin_##name##f(x, y); }
HIP_ONE(fabs)
HIP_ONE(sqrt)
HIP_ONE(floor)
HIP_ONE(ceil)
HIP_ONE(trunc)
HIP_ONE(round)
HIP_ONE(rint)
HIP_TWO(fmin)
HIP_TWO(fmax)
HIP_TWO(copysign)
#undef HIP_ONE
#undef HIP_TWO

__device__ inline float nearbyintf(float x) { return __builtin_rintf(x); }
__device__ inline float nearbyint(float x) { return __builtin_rintf(x); }
__device__ inline double nearbyint(double x) { return __builtin_rint(x); }
__device__ inline int abs(int x) { return x < 0 ? -x : x; }
__device__ inline float abs(float x) { return __builtin_fabsf(x); }
__device__ inline double abs(double x) { return __builtin_fabs(x); }
__device__ inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__device__ inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__device__ inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
__device__ inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__device__ inline float ldexpf(float x, int e) { return HipInstructions::scaled(x, e); }
__device__ inline double ldexp(double x, int e) { return HipInstructions::scaled(x, e); }
__device__ inline float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
__device__ inline float __fadd_rn(float a, float b) {
#pragma clang fp contract(off)
  return a + b;
}
__device__ inline float __fmul_rn(float a, float b) {
#pragma clang fp contract(off)
  return a * b;
}
__device__ inline float fdividef(float a, float b) { return a / b; }
__device__ inline float __fdividef(float a, float b) { return a / b; }
__device__ inline float __fdiv_rn(float a, float b) { return a / b; }
__device__ inline float __frcp_rn(float x) { return 1.0f / x; }
__device__ inline float __fsqrt_rn(float x) { return sqrtf(x); }

#ifndef isnan
__device__ inline bool isnan(float x) { return __builtin_isnan(x); }
__device__ inline bool isnan(double x) { return __builtin_isnan(x); }
__device__ inline bool isinf(float x) { return __builtin_isinf(x); }
__device__ inline bool isinf(double x) { return __builtin_isinf(x); }
__device__ inline bool isfinite(float x) { return __builtin_isfinite(x); }
__device__ inline bool isfinite(double x) { return __builtin_isfinite(x); }
#endif
#ifndef INFINITY
#define INFINITY __builtin_huge_valf()
#endif
#ifndef NAN
#define NAN __builtin_nanf("")
#endif
#ifndef FLT_MAX
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

// Two types meet as in an expression; of a NaN and a number, f32 and f64 give the number.
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

// In f64, from which most of the f32 functions are rounded.
struct HipFunctions {
  static constexpr double ln2 = 0.6931471805599453094;

  // 2^x: 2^n and a Taylor series in |f| <= 1/2; the first term left out is below 1e-17.
  __device__ static double exp2(double x) {
    if (!(x > -1100.0)) return x != x ? x : 0.0;
    if (x > 1030.0) return __builtin_huge_val();
    const double n = __builtin_rint(x), t = (x - n) * ln2;
    double sum = 1.0;
    for (int i = 13; i > 0; --i) sum = __builtin_fma(sum, t * (1.0 / i), 1.0);
    return HipInstructions::scaled(sum, static_cast<int>(n));
  }
  // e^x with x / ln 2 in two parts, as its error is multiplied by up to 1000.
  __device__ static double exp(double x) {
    constexpr double low = 2.319046813846299558e-17;  // ln 2 - its f64
    if (!(x > -760.0)) return x != x ? x : 0.0;
    if (x > 710.0) return __builtin_huge_val();
    const double n = __builtin_rint(x * (1.0 / ln2));
    const double t = __builtin_fma(-n, low, __builtin_fma(-n, ln2, x));
    double sum = 1.0;
    for (int i = 13; i > 0; --i) sum = __builtin_fma(sum, t * (1.0 / i), 1.0);
    return HipInstructions::scaled(sum, static_cast<int>(n));
  }
  // ln x: the exponent, and 2 artanh((m - 1) / (m + 1)) of m in [sqrt(1/2), sqrt(2)).
  __device__ static double log(double x) {
    if (x == 0.0) return -__builtin_huge_val();
    if (!(x > 0.0)) return __builtin_nan("");
    if (x == __builtin_huge_val()) return x;
    const bool tiny = x < 0x1p-1000;
    unsigned long long bits = __builtin_bit_cast(unsigned long long, tiny ? x * 0x1p60 : x);
    constexpr unsigned long long root = 0x3fe6a09e667f3bcdull;  // of 1/2
    const long long exponent = static_cast<long long>(bits - root) >> 52;
    const double m =
        __builtin_bit_cast(double, bits - (static_cast<unsigned long long>(exponent) << 52));
    const double s = (m - 1.0) / (m + 1.0), square = s * s;
    double sum = 0.0;
    for (int i = 23; i >= 1; i -= 2) sum = __builtin_fma(sum, square, 1.0 / i);
    return __builtin_fma(static_cast<double>(exponent - (tiny ? 60 : 0)), ln2, 2.0 * s * sum);
  }
  // sin (quarter 0) and cos (quarter 1) of x: x - n pi/2 with pi/2 in two parts, then a series.
  __device__ static double sine(double x, int quarter) {
    const double n = __builtin_rint(x * 0.63661977236758134308);
    const double t =
        __builtin_fma(-n, 6.123233995736766036e-17, __builtin_fma(-n, 1.5707963267948966192, x));
    quarter += static_cast<int>(n);
    const double square = t * t;
    double odd = 1.0, even = 1.0;
    for (int i = 17; i >= 3; i -= 2) {
      odd = __builtin_fma(odd, square * (-1.0 / (i * (i - 1))), 1.0);
      even = __builtin_fma(even, square * (-1.0 / ((i - 1) * (i - 2))), 1.0);
    }
    const double value = (quarter & 1) != 0 ? even : odd * t;
    return (quarter & 2) != 0 ? -value : value;
  }
  // For f32 only: from 4 on it is 1, and below the alternating series, whose largest term of 1e6
  // costs 6 of 16 digits.
  __device__ static double erf(double x) {
    if (__builtin_fabs(x) >= 4.0) return __builtin_copysign(1.0, x);
    const double square = x * x;
    double term = x, sum = x;
    for (int i = 1; i < 64; ++i) {
      term *= -square * (1.0 / i);
      sum = __builtin_fma(term, 1.0 / (2 * i + 1), sum);
    }
    return sum * 1.12837916709551257390;  // 2 / sqrt(pi)
  }
  // For f32 only. From 2 on the continued fraction x + (1/2) / (x + (2/2) / (x + (3/2) / …)), whose
  // 48 steps leave out less than 1e-16 there (Abramowitz and Stegun 7.1.14).
  __device__ static double erfc(double x) {
    if (x < 0.0) return 2.0 - erfc(-x);
    if (x < 2.0) return 1.0 - erf(x);
    if (!(x < 30.0)) return x != x ? x : 0.0;
    double rest = 0.0;
    for (int i = 48; i > 0; --i) rest = 0.5 * i / (x + rest);
    return exp(-x * x) * 0.56418958354775628695 / (x + rest);  // 1 / sqrt(pi)
  }
  // The y > 0 of erf(y) = x and erfc(y) = q, which are 0 <= x <= 1 and 1 - x: S. Winitzki's
  // approximation (2008), whose error of 2e-3 three of Halley's steps take away.
  __device__ static double inverse_of_erf(double x, double q) {
    if (q <= 0.0) return q == 0.0 ? __builtin_huge_val() : __builtin_nan("");
    constexpr double a = 0.147, twice = 4.33075024063984, slope = 1.12837916709551257390;
    const double l = log(q * (1.0 + x)), t = twice + 0.5 * l;  // 2 / (pi a)
    double y = x < 0.125 ? x / slope : __builtin_sqrt(__builtin_sqrt(t * t - l / a) - t);
    for (int i = 0; i < 3; ++i) {
      const double error = x < 0.5 ? x - erf(y) : erfc(y) - q;
      const double step = error / (slope * exp(-y * y));
      y += step / (1.0 - y * step);
    }
    return y;
  }
  __device__ static double erfinv(double x) {
    const double size = __builtin_fabs(x);
    return __builtin_copysign(inverse_of_erf(size, 1.0 - size), x);
  }
  __device__ static double erfcinv(double q) {
    return q > 1.0 ? -inverse_of_erf(q - 1.0, 2.0 - q) : inverse_of_erf(1.0 - q, q);
  }
  __device__ static double normcdf(double x) { return 0.5 * erfc(x * -0.70710678118654752440); }
  __device__ static double normcdfinv(double p) {
    return -1.41421356237309504880 * erfcinv(2.0 * p);
  }
  __device__ static double cbrt(double x) {
    const double size = __builtin_fabs(x);
    if (!(size > 0.0) || size == __builtin_huge_val()) return x;
    return __builtin_copysign(exp(log(size) * (1.0 / 3)), x);
  }
  __device__ static double rcbrt(double x) { return 1.0 / cbrt(x); }
  __device__ static double hypot(double x, double y) {
    const double a = __builtin_fabs(x), b = __builtin_fabs(y);
    if (a == __builtin_huge_val() || b == __builtin_huge_val()) return __builtin_huge_val();
    return __builtin_sqrt(__builtin_fma(x, x, y * y));
  }
  // ln Gamma(x) of x > 0: Stirling's series from 10 on, of smaller x that of x + n less the factors
  // between (Abramowitz and Stegun 6.1.41).
  __device__ static double lgamma_of_positive(double x) {
    if (x == 1.0 || x == 2.0) return 0.0;
    double factors = 1.0;
    for (; x < 10.0; x += 1.0) factors *= x;
    const double r = 1.0 / x, s = r * r;
    double series = -691.0 / 360360;
    constexpr double terms[] = {1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12};
    for (const double term : terms) series = __builtin_fma(series, s, term);
    constexpr double half_log_of_two_pi = 0.91893853320467274178;
    return (x - 0.5) * log(x) - x + half_log_of_two_pi + series * r - log(factors);
  }
  // Of negative x by Gamma(x) Gamma(1 - x) = pi / sin(pi x); sin(pi x) of the part behind the
  // point.
  __device__ static double sine_of_pi(double x) {
    const double part = x - 2.0 * __builtin_rint(0.5 * x), size = __builtin_fabs(part);
    // Of the nearer whole number, so that whole numbers give 0.
    const double least = size > 0.5 ? 1.0 - size : size;
    return sine(3.14159265358979323846 * __builtin_copysign(least, part), 0);
  }
  __device__ static double cosine_of_pi(double x) {
    const double part = x - 2.0 * __builtin_rint(0.5 * x);
    return sine(3.14159265358979323846 * (0.5 - __builtin_fabs(part)), 0);
  }
  __device__ static double lgamma(double x) {
    if (x != x || __builtin_fabs(x) == __builtin_huge_val()) return x * x;
    if (x <= 0.0 && x == __builtin_trunc(x)) return __builtin_huge_val();
    if (x > 0.0) return lgamma_of_positive(x);
    constexpr double log_of_pi = 1.14472988584940017414;
    return log_of_pi - log(__builtin_fabs(sine_of_pi(x))) - lgamma_of_positive(1.0 - x);
  }
  __device__ static double tgamma(double x) {
    if (x == 0.0) return 1.0 / x;
    if (x < 0.0 && x == __builtin_trunc(x)) return __builtin_nan("");
    if (x > 0.0 || x != x) return exp(lgamma(x));
    return __builtin_copysign(exp(lgamma(x)), sine_of_pi(x));
  }
  __device__ static double tanh(double x) {
    const double size = __builtin_fabs(x);
    if (size < 0.02) {  // where 1 - ... would lose digits
      const double square = x * x;
      return x * (1.0 + square * (-1.0 / 3 + square * (2.0 / 15 + square * (-17.0 / 315))));
    }
    return __builtin_copysign(1.0 - 2.0 / (exp(2.0 * size) + 1.0), x);
  }
  // Of |x| <= 1, halved twice by atan(x) = 2 atan(x / (1 + sqrt(1 + x^2))), then a series; of
  // others pi/2 less that of 1 / x.
  __device__ static double atan(double x) {
    const double size = __builtin_fabs(x);
    double t = size > 1.0 ? 1.0 / size : size;
    for (int i = 0; i < 2; ++i) t /= 1.0 + __builtin_sqrt(1.0 + t * t);
    const double square = t * t;
    double sum = 0.0;
    for (int i = 23; i >= 1; i -= 2) sum = 1.0 / i - square * sum;
    const double value = 4.0 * t * sum;
    return __builtin_copysign(size > 1.0 ? 1.57079632679489661923 - value : value, x);
  }
  __device__ static double atan2(double y, double x) {
    const double a = __builtin_fabs(x), b = __builtin_fabs(y);
    if (a == b && (a == 0.0 || a == __builtin_huge_val())) {
      const bool left = __builtin_signbit(x);
      const double quarters = a == 0.0 ? (left ? 4.0 : 0.0) : (left ? 3.0 : 1.0);
      return __builtin_copysign(quarters * 0.78539816339744830962, y);  // of pi
    }
    if (__builtin_fabs(x) >= __builtin_fabs(y)) {
      const double value = atan(y / x);
      return x > 0.0 ? value : value + __builtin_copysign(3.14159265358979323846, y);
    }
    return __builtin_copysign(1.57079632679489661923, y) - atan(x / y);
  }
  __device__ static double asin(double x) { return atan2(x, __builtin_sqrt(1.0 - x * x)); }
  __device__ static double acos(double x) { return atan2(__builtin_sqrt(1.0 - x * x), x); }
  __device__ static double asinh(double x) {
    const double size = __builtin_fabs(x);
    if (size < 1e-5) return x;
    return __builtin_copysign(log(size + __builtin_sqrt(size * size + 1.0)), x);
  }
  __device__ static double acosh(double x) { return log(x + __builtin_sqrt(x * x - 1.0)); }
  __device__ static double atanh(double x) {
    return __builtin_fabs(x) < 1e-5 ? x : 0.5 * log((1.0 + x) / (1.0 - x));
  }
  __device__ static double pow(double x, double y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (x != x || y != y) return x + y;
    const double size = __builtin_fabs(x);
    const bool whole = __builtin_trunc(y) == y;
    const bool odd = whole && __builtin_trunc(0.5 * y) != 0.5 * y;
    if (x < 0.0 && !whole && size != __builtin_huge_val()) return __builtin_nan("");
    const double logarithm = log(size);
    const double power = size == 1.0 ? 1.0 : exp(y * logarithm);
    return odd ? __builtin_copysign(power, x) : power;
  }
};

// f32 e^x by the instruction: x / ln 2 in two parts, the whole part by ldexp, as v_exp_f32 gives
// no subnormals (RDNA3 ISA, "V_EXP_F32").
__device__ inline float expf(float x) {
#pragma clang fp contract(off)  // `low` is what the rounding of `high` lost
  if (x > 89.0f) return __builtin_huge_valf();
  if (x < -104.0f) return 0.0f;
  const float high = x * 0x1.715476p+0f;
  const float low = __builtin_fmaf(x, 0x1.4ae0cp-26f, __builtin_fmaf(x, 0x1.715476p+0f, -high));
  const float n = __builtin_rintf(high);
  return HipInstructions::scaled(HipInstructions::exp2((high - n) + low), static_cast<int>(n));
}
__device__ inline float exp2f(float x) {
  if (x > 129.0f) return __builtin_huge_valf();
  if (x < -151.0f) return 0.0f;
  const float n = __builtin_rintf(x);
  return HipInstructions::scaled(HipInstructions::exp2(x - n), static_cast<int>(n));
}
// v_rsq_f32 takes no subnormals.
__device__ inline float rsqrtf(float x) {
  const bool tiny = x < 0x1p-100f;
  const float root = HipInstructions::rsqrt(tiny ? x * 0x1p60f : x);
  return tiny ? root * 0x1p30f : root;
}

#define HIP_OF_DOUBLE(name)                                                \
  __device__ inline float name##f(float x) {                               \
    return static_cast<float>(HipFunctions::name(static_cast<double>(x))); \
  }
HIP_OF_DOUBLE(log)
HIP_OF_DOUBLE(erf)
HIP_OF_DOUBLE(erfc)
HIP_OF_DOUBLE(erfinv)
HIP_OF_DOUBLE(erfcinv)
HIP_OF_DOUBLE(normcdf)
HIP_OF_DOUBLE(normcdfinv)
HIP_OF_DOUBLE(cbrt)
HIP_OF_DOUBLE(rcbrt)
HIP_OF_DOUBLE(lgamma)
HIP_OF_DOUBLE(tgamma)
HIP_OF_DOUBLE(tanh)
HIP_OF_DOUBLE(atan)
HIP_OF_DOUBLE(asin)
HIP_OF_DOUBLE(acos)
HIP_OF_DOUBLE(asinh)
HIP_OF_DOUBLE(acosh)
HIP_OF_DOUBLE(atanh)
#undef HIP_OF_DOUBLE
__device__ inline float log2f(float x) {
  return static_cast<float>(HipFunctions::log(x) * 1.44269504088896340736);
}
__device__ inline float log10f(float x) {
  return static_cast<float>(HipFunctions::log(x) * 0.43429448190325182765);
}
__device__ inline float log1pf(float x) {
  const double y = x;  // 1 + x is exact enough in f64 unless x is tiny
  return __builtin_fabsf(x) < 0x1p-24f ? x : static_cast<float>(HipFunctions::log(1.0 + y));
}
__device__ inline float expm1f(float x) {
  const double y = x;
  return static_cast<float>(__builtin_fabsf(x) < 0x1p-12f ? y + 0.5 * y * y
                                                          : HipFunctions::exp(y) - 1.0);
}
__device__ inline float exp10f(float x) {
  return static_cast<float>(HipFunctions::exp(x * 2.30258509299404568402));
}
__device__ inline float powf(float x, float y) {
  return static_cast<float>(HipFunctions::pow(x, y));
}
__device__ inline float sinf(float x) { return static_cast<float>(HipFunctions::sine(x, 0)); }
__device__ inline float cosf(float x) { return static_cast<float>(HipFunctions::sine(x, 1)); }
__device__ inline float tanf(float x) {
  return static_cast<float>(HipFunctions::sine(x, 0) / HipFunctions::sine(x, 1));
}
__device__ inline float sinhf(float x) {
  const double y = HipFunctions::exp(x);
  return __builtin_fabsf(x) < 0x1p-10f ? x + x * x * x * (1.0f / 6)
                                       : static_cast<float>(0.5 * (y - 1.0 / y));
}
__device__ inline float coshf(float x) {
  const double y = HipFunctions::exp(x);
  return static_cast<float>(0.5 * (y + 1.0 / y));
}
__device__ inline float fmodf(float x, float y) {
  // Exact for quotients below 2^29: the product with the truncated quotient fits f64.
  const double quotient = __builtin_trunc(static_cast<double>(x) / y);
  return static_cast<float>(
      __builtin_fma(-quotient, static_cast<double>(y), static_cast<double>(x)));
}
__device__ inline void sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}

__device__ inline double sinpi(double x) { return HipFunctions::sine_of_pi(x); }
__device__ inline double cospi(double x) { return HipFunctions::cosine_of_pi(x); }
__device__ inline float sinpif(float x) { return static_cast<float>(sinpi(x)); }
__device__ inline float cospif(float x) { return static_cast<float>(cospi(x)); }
__device__ inline void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
__device__ inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}

__device__ inline float hypotf(float x, float y) {
  return static_cast<float>(HipFunctions::hypot(x, y));
}
__device__ inline float atan2f(float y, float x) {
  return static_cast<float>(HipFunctions::atan2(y, x));
}

// Names with an f that libstdc++ has in the global namespace alone.
namespace std {
using ::acosf;
using ::acoshf;
using ::asinf;
using ::asinhf;
using ::atan2f;
using ::atanf;
using ::atanhf;
using ::cbrtf;
using ::ceilf;
using ::cosf;
using ::coshf;
using ::erfcf;
using ::erff;
using ::exp2f;
using ::expf;
using ::expm1f;
using ::fabsf;
using ::floorf;
using ::fmaf;
using ::fmaxf;
using ::fminf;
using ::fmodf;
using ::hypotf;
using ::lgammaf;
using ::log10f;
using ::log1pf;
using ::log2f;
using ::logf;
using ::powf;
using ::rintf;
using ::roundf;
using ::sinf;
using ::sinhf;
using ::sqrtf;
using ::tanf;
using ::tanhf;
using ::tgammaf;
using ::truncf;
}  // namespace std

__device__ inline double exp(double x) { return HipFunctions::exp(x); }
__device__ inline double exp2(double x) { return HipFunctions::exp2(x); }
__device__ inline double log(double x) { return HipFunctions::log(x); }
__device__ inline double tanh(double x) { return HipFunctions::tanh(x); }
__device__ inline double pow(double x, double y) { return HipFunctions::pow(x, y); }
__device__ inline double sin(double x) { return HipFunctions::sine(x, 0); }
__device__ inline double atan(double x) { return HipFunctions::atan(x); }
__device__ inline double atan2(double y, double x) { return HipFunctions::atan2(y, x); }
__device__ inline double asin(double x) { return HipFunctions::asin(x); }
__device__ inline double acos(double x) { return HipFunctions::acos(x); }
__device__ inline double cos(double x) { return HipFunctions::sine(x, 1); }
__device__ inline double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
#define HIP_FLOAT_TOO(name) \
  __device__ inline float name(float x) { return name##f(x); }
HIP_FLOAT_TOO(exp)
HIP_FLOAT_TOO(exp2)
HIP_FLOAT_TOO(log)
HIP_FLOAT_TOO(log2)
HIP_FLOAT_TOO(tanh)
HIP_FLOAT_TOO(sin)
HIP_FLOAT_TOO(cos)
HIP_FLOAT_TOO(rsqrt)
HIP_FLOAT_TOO(erf)
HIP_FLOAT_TOO(erfc)
HIP_FLOAT_TOO(cbrt)
HIP_FLOAT_TOO(lgamma)
HIP_FLOAT_TOO(tgamma)
HIP_FLOAT_TOO(acos)
HIP_FLOAT_TOO(acosh)
HIP_FLOAT_TOO(asin)
HIP_FLOAT_TOO(asinh)
HIP_FLOAT_TOO(atan)
HIP_FLOAT_TOO(atanh)
HIP_FLOAT_TOO(tan)
HIP_FLOAT_TOO(sinh)
HIP_FLOAT_TOO(cosh)
HIP_FLOAT_TOO(log10)
HIP_FLOAT_TOO(log1p)
HIP_FLOAT_TOO(expm1)
#undef HIP_FLOAT_TOO
__device__ inline float atan2(float y, float x) { return atan2f(y, x); }
__device__ inline float hypot(float x, float y) { return hypotf(x, y); }
__device__ inline double cbrt(double x) { return HipFunctions::cbrt(x); }
__device__ inline double hypot(double x, double y) { return HipFunctions::hypot(x, y); }
// A name of AMD's device library that libraries call.
__device__ inline float __ocml_exp_f32(float x) { return expf(x); }
__device__ inline float pow(float x, float y) { return powf(x, y); }

#define HIP_FAST(name) \
  __device__ inline float __##name(float x) { return name(x); }
HIP_FAST(expf)
HIP_FAST(exp10f)
HIP_FAST(logf)
HIP_FAST(log2f)
HIP_FAST(log10f)
HIP_FAST(sinf)
HIP_FAST(cosf)
HIP_FAST(tanf)
#undef HIP_FAST
__device__ inline float __frsqrt_rn(float x) { return rsqrtf(x); }
__device__ inline float __powf(float x, float y) { return powf(x, y); }
__device__ inline void __sincosf(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
