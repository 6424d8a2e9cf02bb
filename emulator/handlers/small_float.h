// Conversions between floating-point formats of 32 bits and fewer, 32 lanes at a time, on bit
// patterns so that the host's mode does not matter.
//
// A number goes through one form, `Parts`: from_bits() takes it apart, to_nearest() and
// stochastic() round it into a format. A scale is an addition to the exponent in between, so that a
// scaled conversion rounds once.
#pragma once

#include "emulator/handlers/lanes.h"

namespace heddle::emulator::HEDDLE_LEVEL {

// The meaning of the patterns at the top of the range.
enum class Specials : uint8_t {
  none,      // numbers, as all others
  last_nan,  // the last one is NaN: E4M3 of the OCP
  ieee,      // exponents of all ones are infinity and NaN
  fnuz,      // the pattern of -0 is NaN, and there is no other special one
};

struct FloatFormat {
  int exponent, mantissa, bias;
  Specials specials;

  constexpr int bits() const { return 1 + exponent + mantissa; }
  constexpr uint32_t sign() const { return 1u << (exponent + mantissa); }
  // The pattern of the largest finite number.
  constexpr uint32_t largest() const {
    const uint32_t all = sign() - 1;
    if (specials == Specials::last_nan) return all - 1;
    return specials == Specials::ieee ? all - (1u << mantissa) : all;
  }
};

// fp8 and bf8: OCP 8-bit Floating Point Specification, as RDNA4 takes it (RDNA4 ISA, V_CVT_F32_FP8
// and V_CVT_PK_FP8_F32). CDNA3's are the fnuz ones (AMD Instinct MI300 ISA, "8-bit floating
// point"). fp6, bf6 and fp4: OCP Microscaling Formats Specification, E2M3, E3M2 and E2M1.
constexpr FloatFormat format_f32{8, 23, 127, Specials::ieee};
constexpr FloatFormat format_f16{5, 10, 15, Specials::ieee};
constexpr FloatFormat format_bf16{8, 7, 127, Specials::ieee};
constexpr FloatFormat format_fp8{4, 3, 7, Specials::last_nan};
constexpr FloatFormat format_bf8{5, 2, 15, Specials::ieee};
constexpr FloatFormat format_fp8_fnuz{4, 3, 8, Specials::fnuz};
constexpr FloatFormat format_bf8_fnuz{5, 2, 16, Specials::fnuz};
constexpr FloatFormat format_fp6{2, 3, 1, Specials::none};
constexpr FloatFormat format_bf6{3, 2, 3, Specials::none};
constexpr FloatFormat format_fp4{2, 1, 1, Specials::none};
// gfx1250's fp8 with `clamp`. It has no sign; callers clear the sign. The bias 15 and NaN at 255
// are assumed.
constexpr FloatFormat format_e5m3{5, 3, 15, Specials::last_nan};

// A number is significand * 2^(exponent - 23) with its leading one in bit 23, or zero.
struct Parts {
  U32 sign;  // in bit 31
  I32 exponent;
  U32 significand;  // of NaN: its payload below bit 23
  Lanes infinite, nan;
};

// Bits above those of the format do not matter.
template <FloatFormat format>
HEDDLE_INLINE Parts from_bits(U32 bits) {
  constexpr uint32_t fraction_mask = (1u << format.mantissa) - 1;
  const U32 magnitude = bits & (format.sign() - 1);
  const U32 sign = (bits & format.sign()) << static_cast<uint32_t>(32 - format.bits());
  const U32 field = magnitude >> static_cast<uint32_t>(format.mantissa);
  const U32 fraction = magnitude & fraction_mask;
  // A denormal is a whole number of the smallest steps. As an f32, which is exact, it is normal.
  const U32 whole = bits_as<U32>(convert<F32>(bits_as<I32>(fraction)));
  const Lanes denormal = to_lanes_of(field == 0u);
  Parts parts;
  parts.sign = sign;
  parts.exponent =
      select(denormal, bits_as<I32>(whole >> 23) - (127 + format.mantissa - 1 + format.bias),
             bits_as<I32>(field) - format.bias);
  parts.significand = select(denormal, (whole & 0x7fffffu) | 0x800000u,
                             (fraction << static_cast<uint32_t>(23 - format.mantissa)) | 0x800000u);
  parts.significand = select(to_lanes_of(magnitude == 0u), U32(0), parts.significand);
  parts.infinite = to_lanes(0);
  parts.nan = to_lanes(0);
  if constexpr (format.specials == Specials::ieee) {
    parts.infinite = to_lanes_of(magnitude == format.largest() + 1);
    parts.nan = to_lanes_of(magnitude > format.largest() + 1);
  } else if constexpr (format.specials == Specials::last_nan) {
    parts.nan = to_lanes_of(magnitude > format.largest());
    parts.significand = select(parts.nan, U32(0x800000u), parts.significand);
  } else if constexpr (format.specials == Specials::fnuz) {
    parts.nan = to_lanes_of((bits & (2 * format.sign() - 1)) == format.sign());
    parts.sign = select(parts.nan, U32(0), parts.sign);
    parts.significand = select(parts.nan, U32(0x800000u), parts.significand);
  }
  return parts;
}

// The result for numbers beyond the largest. A format without specials always saturates.
enum class Overflow : uint8_t {
  special,   // infinity, or NaN where the format has none
  saturate,  // the largest number, as with FP16_OVFL in MODE
};

// The bit pattern of a special value, or of a number from the rounded `magnitude`, which may be too
// large. In formats without NaN both NaN and infinity become the largest number (AMD's HIP header
// amd_hip_ocp_host.hpp).
template <FloatFormat format>
HEDDLE_INLINE U32 with_specials(const Parts& parts, U32 magnitude, Overflow overflow) {
  constexpr uint32_t largest = format.largest();
  constexpr bool ieee = format.specials == Specials::ieee;
  constexpr uint32_t infinity = format.specials == Specials::none ? largest : largest + 1;
  U32 nan = U32(infinity);
  if constexpr (ieee)
    nan |= (parts.significand & 0x7fffffu) >> static_cast<uint32_t>(23 - format.mantissa) |
           1u << (format.mantissa - 1);
  const U32 beyond = U32(overflow == Overflow::saturate ? largest : infinity);
  magnitude = select(to_lanes_of(magnitude > largest), beyond, magnitude);
  magnitude = select(parts.infinite, U32(infinity), magnitude);
  magnitude = select(parts.nan, nan, magnitude);
  const U32 sign = parts.sign >> static_cast<uint32_t>(32 - format.bits());
  if constexpr (format.specials == Specials::fnuz) {
    // NaN is the pattern of -0, and there is no -0.
    const Lanes unsigned_one = to_lanes_of((magnitude == 0u) | (magnitude > largest));
    return select(unsigned_one, magnitude, magnitude | sign);
  }
  return magnitude | sign;
}

// The exponent of `parts` in the format, in which 1 is the lowest exponent of normal numbers, and
// the number of places by which a smaller number is shifted right.
template <FloatFormat format>
struct Position {
  U32 exponent, shift;
  HEDDLE_INLINE explicit Position(const Parts& parts) {
    constexpr int32_t top = 1 << format.exponent;
    const I32 biased = parts.exponent + format.bias;
    const Lanes low = to_lanes_of(biased < 1);
    const I32 distance = 1 - biased;
    shift =
        select(low, bits_as<U32>(select(to_lanes_of(distance > 31), I32(31), distance)), U32(0));
    exponent =
        bits_as<U32>(select(low, I32(1), select(to_lanes_of(biased > top), I32(top), biased)));
  }
  // The bit pattern for a significand in places of the format. A carry goes into the exponent. Zero
  // may have any exponent.
  HEDDLE_INLINE U32 pattern(const Parts& parts, U32 rounded) const {
    const U32 number = rounded + ((exponent - 1u) << static_cast<uint32_t>(format.mantissa));
    return select(to_lanes_of(parts.significand == 0u), U32(0), number);
  }
};

// To nearest, ties to even.
template <FloatFormat format>
HEDDLE_INLINE U32 to_nearest(const Parts& parts, Overflow overflow = Overflow::special) {
  const Position<format> at(parts);
  const U32 drop = at.shift + static_cast<uint32_t>(23 - format.mantissa);
  const U32 shift = select(to_lanes_of(drop > 31u), U32(31), drop);
  const U32 whole = parts.significand >> shift;
  const U32 rest = parts.significand & ((U32(1) << shift) - 1u);
  const U32 half = (U32(1) << shift) >> 1;
  const Lanes up = to_lanes_of((rest > half) | ((rest == half) & ((whole & 1u) != 0u)));
  const Lanes exact = to_lanes_of(shift == 0u);
  const U32 rounded = whole + select(exact, U32(0), select(up, U32(1), U32(0)));
  return with_specials<format>(parts, at.pattern(parts, rounded), overflow);
}

// A small float as f32, or as f16, into which every 8-bit float fits.
template <FloatFormat from, FloatFormat to = format_f32>
HEDDLE_INLINE U32 widened(U32 bits) {
  return to_nearest<to>(from_bits<from>(bits));
}

// The upper bits of `random` are added below the last place, and the sum is cut off: CDNA3 ISA,
// V_CVT_SR_FP8_F32, and AMD's HIP header amd_hip_ocp_host.hpp, which cuts off denormals before the
// addition. RDNA4's document does not say which bits are added.
template <FloatFormat format>
HEDDLE_INLINE U32 stochastic(const Parts& parts, U32 random,
                             Overflow overflow = Overflow::special) {
  const Position<format> at(parts);
  constexpr uint32_t drop = 23 - format.mantissa;
  const U32 sum = (parts.significand >> at.shift) + (random >> (32 - drop));
  return with_specials<format>(parts, at.pattern(parts, sum >> drop), overflow);
}

// FP16_OVFL, bit 23 of MODE (AMD Instinct MI300 ISA, "MODE register").
HEDDLE_INLINE Overflow overflow_of(const Wavefront& w) {
  return w.mode & mode_fp16_overflow ? Overflow::saturate : Overflow::special;
}

// One step of a shift register with feedback (CDNA4 ISA, V_PRNG_B32).
HEDDLE_INLINE U32 next_random(U32 a) {
  return a << 1 ^ select(to_lanes_of(a >> 31 != 0u), U32(197), U32(0));
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
