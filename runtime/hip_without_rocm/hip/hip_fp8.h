// <hip/hip_fp8.h> where there is no ROCm: the formats of eight bits and their conversions, in
// software. Values beyond the largest become the largest (HIP's __HIP_SATFINITE).
// Source of the formats: "OCP 8-bit Floating Point Specification (OFP8)" 1.0; the fnuz ones as in
// AMD's "CDNA3 ISA", section "Float8".
#pragma once

#include "hip_bf16.h"
#include "hip_fp16.h"

typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t;
typedef unsigned __hip_fp8x4_storage_t;
enum __hip_saturation_t { __HIP_NOSAT = 0, __HIP_SATFINITE = 1 };
enum __hip_fp8_interpretation_t {
  __HIP_E4M3 = 0,
  __HIP_E5M2 = 1,
  __HIP_E4M3_FNUZ = 2,
  __HIP_E5M2_FNUZ = 3
};

// A format of 8 bits with `Mantissa` bits of mantissa and exponent bias `Bias`. NaN is 0x80 alone
// in the fnuz formats, and all ones in E4M3.
template <int Mantissa, int Bias, bool Fnuz>
struct HipEightBits {
  static constexpr int exponent_bits = 7 - Mantissa;
  static constexpr bool has_infinity = Mantissa == 2 && !Fnuz;
  static constexpr unsigned most = Fnuz ? 0x7f : has_infinity ? 0x7b : 0x7e;
  static constexpr unsigned nan = Fnuz ? 0x80 : 0x7f;

  __host__ __device__ static constexpr float to_float(unsigned char bits) {
    const unsigned size = bits & 0x7fu;
    const bool negative = (bits & 0x80u) != 0;
    if (Fnuz ? bits == 0x80 : size > most) {
      if (has_infinity && size == 0x7c)
        return negative ? -__builtin_huge_valf() : __builtin_huge_valf();
      return __builtin_nanf("");
    }
    const unsigned exponent = size >> Mantissa, fraction = size & ((1u << Mantissa) - 1);
    const int power = (exponent == 0 ? 1 : static_cast<int>(exponent)) - Bias - Mantissa;
    const unsigned whole = exponent == 0 ? fraction : fraction | 1u << Mantissa;
    // 2^power, which is a normal number.
    const float unit = __builtin_bit_cast(float, static_cast<unsigned>(power + 127) << 23);
    const float value = static_cast<float>(whole) * unit;
    return negative ? -value : value;
  }

  // To the nearest, ties to even.
  __host__ __device__ static constexpr unsigned char of_float(float x, bool saturates = true) {
    const unsigned bits = __builtin_bit_cast(unsigned, x), sign = bits >> 24 & 0x80u;
    const unsigned size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) return static_cast<unsigned char>(Fnuz ? 0x80u : sign | nan);
    const int exponent = static_cast<int>(size >> 23) - 127;
    // The bits below the result's last bit are shifted out; for subnormals these are more.
    const int smallest = 1 - Bias;
    const int shift = 23 - Mantissa + (exponent < smallest ? smallest - exponent : 0);
    unsigned kept = 0;
    if (shift < 26) {
      const unsigned whole = (size & 0x7fffffu) | 0x800000u;
      kept = whole >> shift;
      const unsigned rest = whole & ((1u << shift) - 1), half = 1u << (shift - 1);
      if (rest > half || (rest == half && (kept & 1u) != 0)) ++kept;
    }
    // `kept` has the leading bit, which adds one to the exponent, as a carry of the rounding does.
    const unsigned base =
        exponent < smallest ? 0u : static_cast<unsigned>(exponent + Bias - 1) << Mantissa;
    unsigned result = size < 0x00800000u ? 0u : base + kept;
    // CUDA clips infinities, too (cuda_fp8.hpp of CUDA 13.0, __nv_cvt_double_to_fp8). In HIP they
    // become the type's infinity, or NaN if it has none (ROCm, amd_hip_fp8.h).
#ifdef HEDDLE_FP8_AS_IN_CUDA
    const bool clips = saturates;
#else
    const bool clips = saturates && size != 0x7f800000u;
#endif
    if (result > most) result = clips ? most : has_infinity ? 0x7cu : Fnuz ? 0x80u : nan;
    if (Fnuz && (result == 0 || result == 0x80u)) return static_cast<unsigned char>(result);
    return static_cast<unsigned char>(sign | result);
  }
  // Converts to f32 first, and sets the last bit of the f32 if bits are lost. So the rounding to 8
  // bits gives the same as a single rounding.
  __host__ __device__ static constexpr unsigned char of_double(double x, bool saturates = true) {
    const float near = static_cast<float>(x);
    const double back = near;
    unsigned bits = __builtin_bit_cast(unsigned, near);
    if (back != x && x == x && (bits & 0x7fffffffu) != 0x7f800000u) {
      if (x < 0 ? back < x : back > x) --bits;
      bits |= 1u;
    }
    return of_float(__builtin_bit_cast(float, bits), saturates);
  }
};

#define HIP_EIGHT_BITS_OF(Name, T) \
  __host__ __device__ constexpr Name(T x) : Name(static_cast<float>(x)) {}
#define HIP_EIGHT_BITS(Name, Two, Four, mantissa, bias, fnuz, interpretation)              \
  struct Name {                                                                            \
    using Format = HipEightBits<mantissa, bias, fnuz>;                                     \
    static constexpr __hip_saturation_t __default_saturation = __HIP_SATFINITE;            \
    static constexpr __hip_fp8_interpretation_t __default_interpret = interpretation;      \
    __hip_fp8_storage_t __x;                                                               \
    Name() = default;                                                                      \
    __host__ __device__ constexpr Name(float x) : __x(Format::of_float(x)) {}              \
    __host__ __device__ constexpr Name(double x) : __x(Format::of_double(x)) {}            \
    HIP_EIGHT_BITS_OF(Name, int)                                                           \
    HIP_EIGHT_BITS_OF(Name, unsigned)                                                      \
    HIP_EIGHT_BITS_OF(Name, long)                                                          \
    HIP_EIGHT_BITS_OF(Name, unsigned long)                                                 \
    HIP_EIGHT_BITS_OF(Name, long long)                                                     \
    HIP_EIGHT_BITS_OF(Name, unsigned long long)                                            \
    HIP_EIGHT_BITS_OF(Name, _Float16)                                                      \
    HIP_EIGHT_BITS_OF(Name, __hip_bfloat16)                                                \
    __host__ __device__ constexpr operator float() const { return Format::to_float(__x); } \
  };                                                                                       \
  struct Two {                                                                             \
    __hip_fp8x2_storage_t __x;                                                             \
    Two() = default;                                                                       \
    __host__ __device__ Two(float2 v) : __x(heddle_packed_two<Name>(v.x, v.y)) {}          \
    __host__ __device__ Two(__half2 v) : Two(__half22float2(v)) {}                         \
    __host__ __device__ Two(__hip_bfloat162 v) : Two(__bfloat1622float2(v)) {}             \
    __host__ __device__ operator float2() const {                                          \
      return {Name::Format::to_float(static_cast<unsigned char>(__x)),                     \
              Name::Format::to_float(static_cast<unsigned char>(__x >> 8))};               \
    }                                                                                      \
    __host__ __device__ operator __half2() const {                                         \
      return __float22half2_rn(static_cast<float2>(*this));                                \
    }                                                                                      \
  };                                                                                       \
  struct Four {                                                                            \
    __hip_fp8x4_storage_t __x;                                                             \
    Four() = default;                                                                      \
    __host__ __device__ Four(float4 v)                                                     \
        : __x(heddle_packed_two<Name>(v.x, v.y) |                                          \
              static_cast<unsigned>(heddle_packed_two<Name>(v.z, v.w)) << 16) {}           \
    __host__ __device__ operator float4() const {                                          \
      const auto part = [&](int i) {                                                       \
        return Name::Format::to_float(static_cast<unsigned char>(__x >> 8 * i));           \
      };                                                                                   \
      return {part(0), part(1), part(2), part(3)};                                         \
    }                                                                                      \
  };                                                                                       \
  static_assert(sizeof(Name) == 1 && sizeof(Two) == 2 && sizeof(Four) == 4);

// The first number in the lower byte.
template <class Name>
__host__ __device__ __hip_fp8x2_storage_t heddle_packed_two(float low, float high) {
  return static_cast<__hip_fp8x2_storage_t>(Name(low).__x | Name(high).__x << 8);
}
HIP_EIGHT_BITS(__hip_fp8_e4m3, __hip_fp8x2_e4m3, __hip_fp8x4_e4m3, 3, 7, false, __HIP_E4M3)
HIP_EIGHT_BITS(__hip_fp8_e5m2, __hip_fp8x2_e5m2, __hip_fp8x4_e5m2, 2, 15, false, __HIP_E5M2)
HIP_EIGHT_BITS(__hip_fp8_e4m3_fnuz, __hip_fp8x2_e4m3_fnuz, __hip_fp8x4_e4m3_fnuz, 3, 8, true,
               __HIP_E4M3_FNUZ)
HIP_EIGHT_BITS(__hip_fp8_e5m2_fnuz, __hip_fp8x2_e5m2_fnuz, __hip_fp8x4_e5m2_fnuz, 2, 16, true,
               __HIP_E5M2_FNUZ)
#undef HIP_EIGHT_BITS
#undef HIP_EIGHT_BITS_OF

// Calls `use` with the format of that name, and returns its result.
template <class Use>
__host__ __device__ auto heddle_of_format(__hip_fp8_interpretation_t format, Use use) {
  switch (format) {
    case __HIP_E4M3:
      return use(__hip_fp8_e4m3::Format());
    case __HIP_E5M2:
      return use(__hip_fp8_e5m2::Format());
    case __HIP_E4M3_FNUZ:
      return use(__hip_fp8_e4m3_fnuz::Format());
    default:
      return use(__hip_fp8_e5m2_fnuz::Format());
  }
}
__host__ __device__ inline __hip_fp8_storage_t __hip_cvt_float_to_fp8(
    float x, __hip_saturation_t saturation, __hip_fp8_interpretation_t format) {
  return heddle_of_format(format, [=](auto f) __host__ __device__ {
    return f.of_float(x, saturation == __HIP_SATFINITE);
  });
}
__host__ __device__ inline __hip_fp8_storage_t __hip_cvt_double_to_fp8(
    double x, __hip_saturation_t saturation, __hip_fp8_interpretation_t format) {
  return heddle_of_format(format, [=](auto f) __host__ __device__ {
    return f.of_double(x, saturation == __HIP_SATFINITE);
  });
}
__host__ __device__ inline __hip_fp8_storage_t __hip_cvt_halfraw_to_fp8(
    __half_raw x, __hip_saturation_t saturation, __hip_fp8_interpretation_t format) {
  return __hip_cvt_float_to_fp8(__half2float(x), saturation, format);
}
__host__ __device__ inline __hip_fp8_storage_t __hip_cvt_bfloat16raw_to_fp8(
    __hip_bfloat16 x, __hip_saturation_t saturation, __hip_fp8_interpretation_t format) {
  return __hip_cvt_float_to_fp8(__bfloat162float(x), saturation, format);
}
__host__ __device__ inline __hip_fp8x2_storage_t __hip_cvt_float2_to_fp8x2(
    float2 x, __hip_saturation_t saturation, __hip_fp8_interpretation_t format) {
  return static_cast<__hip_fp8x2_storage_t>(__hip_cvt_float_to_fp8(x.x, saturation, format) |
                                            __hip_cvt_float_to_fp8(x.y, saturation, format) << 8);
}
__host__ __device__ inline __hip_fp8x2_storage_t __hip_cvt_halfraw2_to_fp8x2(
    __half2_raw x, __hip_saturation_t saturation, __hip_fp8_interpretation_t format) {
  return __hip_cvt_float2_to_fp8x2(__half22float2(x), saturation, format);
}
__host__ __device__ inline __half_raw __hip_cvt_fp8_to_halfraw(__hip_fp8_storage_t x,
                                                               __hip_fp8_interpretation_t format) {
  return __float2half(
      heddle_of_format(format, [=](auto f) __host__ __device__ { return f.to_float(x); }));
}
__host__ __device__ inline __half2_raw __hip_cvt_fp8x2_to_halfraw2(
    __hip_fp8x2_storage_t x, __hip_fp8_interpretation_t format) {
  return __half2(__hip_cvt_fp8_to_halfraw(static_cast<__hip_fp8_storage_t>(x), format),
                 __hip_cvt_fp8_to_halfraw(static_cast<__hip_fp8_storage_t>(x >> 8), format));
}
