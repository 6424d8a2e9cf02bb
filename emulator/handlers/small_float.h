// One lane's conversions between f32 and the two 8-bit floats, on bit patterns so that the host's
// mode does not matter.
//
// fp8 is E4M3 without infinity (NaN is all ones), bf8 is E5M2: OCP 8-bit Floating Point
// Specification, as RDNA4 takes it (RDNA4 ISA, V_CVT_F32_FP8 and V_CVT_PK_FP8_F32). CDNA3's, the
// fnuz ones, have one NaN, where the others have -0, no infinity, and a bias that is one larger
// (AMD Instinct MI300 ISA, "8-bit floating point").
#pragma once

#include "emulator/handlers/lanes.h"

namespace heddle::emulator::HEDDLE_LEVEL {

enum class SmallFloat { fp8, bf8, fp8_fnuz, bf8_fnuz };

constexpr bool is_fnuz(SmallFloat type) {
  return type == SmallFloat::fp8_fnuz || type == SmallFloat::bf8_fnuz;
}
constexpr uint32_t fnuz_nan = 0x80;

template <SmallFloat type>
struct SmallFormat;
template <>
struct SmallFormat<SmallFloat::fp8> {
  static constexpr int mantissa = 3, bias = 7;
  static constexpr uint32_t beyond = 0x7f;  // the smallest pattern that is no finite number
};
template <>
struct SmallFormat<SmallFloat::bf8> {
  static constexpr int mantissa = 2, bias = 15;
  static constexpr uint32_t beyond = 0x7c;
};

template <>
struct SmallFormat<SmallFloat::fp8_fnuz> {
  static constexpr int mantissa = 3, bias = 8;
  static constexpr uint32_t beyond = 0x80;
};
template <>
struct SmallFormat<SmallFloat::bf8_fnuz> {
  static constexpr int mantissa = 2, bias = 16;
  static constexpr uint32_t beyond = 0x80;
};

template <SmallFloat type>
constexpr auto small_to_float = [](uint32_t byte) -> uint32_t {
  using S = SmallFormat<type>;
  const uint32_t sign = (byte & 0x80u) << 24;
  uint32_t magnitude = byte & 0x7fu;
  if (type == SmallFloat::fp8 && magnitude == 0x7fu) return sign | 0x7fc00000u;
  if (type == SmallFloat::bf8 && magnitude >= 0x7cu)
    return sign | 0x7f800000u | (magnitude & 3u) << 21 | (magnitude & 3u ? 0x00400000u : 0u);
  if (is_fnuz(type) && byte == fnuz_nan) return 0x7fc00000u;
  if (magnitude == 0) return sign;
  int exponent = static_cast<int>(magnitude >> S::mantissa);
  uint32_t fraction = magnitude & ((1u << S::mantissa) - 1);
  if (exponent == 0) {
    exponent = 1;
    while (!(fraction >> S::mantissa)) {
      fraction <<= 1;
      --exponent;
    }
    fraction &= (1u << S::mantissa) - 1;
  }
  return sign | static_cast<uint32_t>(exponent - S::bias + 127) << 23 |
         fraction << (23 - S::mantissa);
};

// The magnitude of a finite f32 in steps of 1 / 2^20 (fp8) or 1 / 2^21 (bf8) of the small format's
// last place where the number is normal there; denormal there: shifted, what falls out kept as a
// sticky bit.
template <SmallFloat type>
HEDDLE_INLINE uint32_t rebased(uint32_t magnitude) {
  using S = SmallFormat<type>;
  const int exponent = static_cast<int>(magnitude >> 23) - 127 + S::bias;
  const uint32_t fraction = magnitude & 0x7fffffu;
  if (exponent > 0) return static_cast<uint32_t>(exponent) << 23 | fraction;
  if (magnitude >> 23 == 0 || exponent < -23) return magnitude != 0;
  const uint32_t whole = fraction | 0x800000u;
  const int shift = 1 - exponent;
  return whole >> shift | ((whole & ((1u << shift) - 1)) != 0);
}

template <SmallFloat type>
HEDDLE_INLINE uint32_t small_special(uint32_t magnitude) {
  if (is_fnuz(type)) return fnuz_nan;
  if (type == SmallFloat::fp8) return 0x7f;
  return magnitude > 0x7f800000u ? 0x7eu | (magnitude >> 21 & 1u) : 0x7cu;
}

// To nearest, ties to even; too large becomes NaN (fp8) or infinity (bf8), as without FP16_OVFL.
template <SmallFloat type>
constexpr auto float_to_small = [](uint32_t bits) -> uint32_t {
  using S = SmallFormat<type>;
  const uint32_t sign = bits >> 24 & 0x80u, magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x7f800000u) return sign | small_special<type>(magnitude);
  const uint32_t fine = rebased<type>(magnitude);
  constexpr int drop = 23 - S::mantissa;
  const uint32_t rounded = (fine + (1u << (drop - 1)) - 1 + (fine >> drop & 1u)) >> drop;
  if (is_fnuz(type) && (rounded == 0 || rounded >= S::beyond)) return rounded == 0 ? 0 : fnuz_nan;
  return sign | (rounded >= S::beyond ? S::beyond : rounded);
};

// The upper bits of `random` are added below the last place, and the sum is cut off (the upper
// twenty for fp8, twenty-one for bf8: CDNA3 ISA, V_CVT_SR_FP8_F32; RDNA4's document names no bits).
template <SmallFloat type>
HEDDLE_INLINE uint32_t float_to_small_stochastic(uint32_t bits, uint32_t random) {
  using S = SmallFormat<type>;
  const uint32_t sign = bits >> 24 & 0x80u, magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x7f800000u) return sign | small_special<type>(magnitude);
  constexpr int drop = 23 - S::mantissa;
  const uint32_t result = (rebased<type>(magnitude) + (random >> (32 - drop))) >> drop;
  if (is_fnuz(type) && (result == 0 || result >= S::beyond)) return result == 0 ? 0 : fnuz_nan;
  return sign | (result >= S::beyond ? S::beyond : result);
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
