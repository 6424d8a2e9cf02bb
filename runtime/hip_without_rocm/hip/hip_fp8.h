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

// `bias` and the bits of the mantissa; of the fnuz formats 0x80 is the only NaN, of E4M3 all ones.
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
    // The place of the last bit that is kept: at least that of the subnormals.
    const int smallest = 1 - Bias;
    const int shift = 23 - Mantissa + (exponent < smallest ? smallest - exponent : 0);
    unsigned kept = 0;
    if (shift < 26) {
      const unsigned whole = (size & 0x7fffffu) | 0x800000u;
      kept = whole >> shift;
      const unsigned rest = whole & ((1u << shift) - 1), half = 1u << (shift - 1);
      if (rest > half || (rest == half && (kept & 1u) != 0)) ++kept;
    }
    // The leading bit adds one to the exponent, and so does a carry.
    const unsigned base =
        exponent < smallest ? 0u : static_cast<unsigned>(exponent + Bias - 1) << Mantissa;
    unsigned result = size < 0x00800000u ? 0u : base + kept;
    if (result > most) result = saturates ? most : has_infinity ? 0x7cu : Fnuz ? 0x80u : nan;
    if (Fnuz && (result == 0 || result == 0x80u)) return static_cast<unsigned char>(result);
    return static_cast<unsigned char>(sign | result);
  }
};

#define HIP_EIGHT_BITS(Name, mantissa, bias, fnuz)                                         \
  struct Name {                                                                            \
    using Format = HipEightBits<mantissa, bias, fnuz>;                                     \
    __hip_fp8_storage_t __x;                                                               \
    Name() = default;                                                                      \
    __host__ __device__ constexpr Name(float x) : __x(Format::of_float(x)) {}              \
    __host__ __device__ constexpr Name(double x) : Name(static_cast<float>(x)) {}          \
    __host__ __device__ constexpr Name(int x) : Name(static_cast<float>(x)) {}             \
    __host__ __device__ constexpr Name(_Float16 x) : Name(static_cast<float>(x)) {}        \
    __host__ __device__ constexpr operator float() const { return Format::to_float(__x); } \
  };                                                                                       \
  struct Name##x2 {                                                                        \
    __hip_fp8_storage_t bytes[2];                                                          \
    __host__ __device__ operator float2() const {                                          \
      return {Name::Format::to_float(bytes[0]), Name::Format::to_float(bytes[1])};         \
    }                                                                                      \
  };                                                                                       \
  static_assert(sizeof(Name) == 1);
HIP_EIGHT_BITS(__hip_fp8_e4m3, 3, 7, false)
HIP_EIGHT_BITS(__hip_fp8_e5m2, 2, 15, false)
HIP_EIGHT_BITS(__hip_fp8_e4m3_fnuz, 3, 8, true)
HIP_EIGHT_BITS(__hip_fp8_e5m2_fnuz, 2, 16, true)
#undef HIP_EIGHT_BITS

__host__ __device__ inline __hip_fp8_storage_t __hip_cvt_float_to_fp8(
    float x, __hip_saturation_t saturation, __hip_fp8_interpretation_t format) {
  const bool saturates = saturation == __HIP_SATFINITE;
  switch (format) {
    case __HIP_E4M3:
      return __hip_fp8_e4m3::Format::of_float(x, saturates);
    case __HIP_E5M2:
      return __hip_fp8_e5m2::Format::of_float(x, saturates);
    case __HIP_E4M3_FNUZ:
      return __hip_fp8_e4m3_fnuz::Format::of_float(x, saturates);
    default:
      return __hip_fp8_e5m2_fnuz::Format::of_float(x, saturates);
  }
}
