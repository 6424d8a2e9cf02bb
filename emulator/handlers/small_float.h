// Conversions between floating-point formats of at most 32 bits, for 32 lanes at a time. They
// compute with bit patterns, so that the host's mode has no effect.
//
// Each conversion goes through an intermediate form, `Parts`: from_bits() splits a number into
// parts, and to_nearest() or stochastic() rounds the parts to another format. A conversion with a
// scale adds the scale to the exponent of the parts, so it rounds only once.
#pragma once

#include "emulator/handlers/lanes.h"

namespace heddle::emulator::HEDDLE_LEVEL {

// The meaning of the largest bit patterns of a format.
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

// fp8 and bf8 are the formats of the OCP 8-bit Floating Point Specification, as RDNA4 uses them
// (RDNA4 ISA, V_CVT_F32_FP8 and V_CVT_PK_FP8_F32). CDNA3 has the fnuz formats instead (AMD Instinct
// MI300 ISA, "8-bit floating point"). fp6, bf6 and fp4 are E2M3, E3M2 and E2M1 of the OCP
// Microscaling Formats Specification.
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
// The format of fp8 on gfx1250 if an instruction has `clamp`. It has no sign; callers clear the
// sign before. The bias of 15, and that 255 is NaN, are assumed.
constexpr FloatFormat format_e5m3{5, 3, 15, Specials::last_nan};

// A number as significand * 2^(exponent - 23). Bit 23 is the highest set bit of the significand,
// unless the number is zero.
struct Parts {
  U32 sign;  // in bit 31
  I32 exponent;
  U32 significand;  // of NaN: its payload below bit 23
  Lanes infinite, nan;
};

// Splits a number into parts. Bits above those of the format are ignored.
template <FloatFormat format>
HEDDLE_INLINE Parts from_bits(U32 bits) {
  constexpr uint32_t fraction_mask = (1u << format.mantissa) - 1;
  const U32 magnitude = bits & (format.sign() - 1);
  const U32 sign = (bits & format.sign()) << static_cast<uint32_t>(32 - format.bits());
  const U32 field = magnitude >> static_cast<uint32_t>(format.mantissa);
  const U32 fraction = magnitude & fraction_mask;
  // A denormal is an integer (its fraction bits) times the format's smallest number. As an f32 that
  // integer is exact and normal.
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

// What becomes of numbers beyond the format's largest. In a format without infinity and NaN they
// always become the largest number.
enum class Overflow : uint8_t {
  special,   // infinity, or NaN where the format has none
  saturate,  // the largest number, as with FP16_OVFL in MODE
};

// Makes the bit pattern of the result: that of an infinity or NaN if `parts` are one, else
// `magnitude`, the rounded number, which may be too large for the format. In formats without NaN,
// both NaN and infinity become the largest number (AMD's HIP header amd_hip_ocp_host.hpp).
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
    // In fnuz formats the pattern of -0 means NaN, so neither zero nor NaN may get the sign bit.
    const Lanes unsigned_one = to_lanes_of((magnitude == 0u) | (magnitude > largest));
    return select(unsigned_one, magnitude, magnitude | sign);
  }
  return magnitude | sign;
}

// How the number `parts` is represented in the format. `exponent` is its exponent field; 1 is the
// field of the smallest normal numbers. `shift` is by how many bits the significand of a smaller
// number (a denormal) is shifted right; 0 for normal numbers.
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
  // The bit pattern of the number, without sign. `rounded` is its significand after rounding to the
  // format. If the rounding carried into the next power of two, the exponent field becomes larger
  // by one. For a zero significand the exponent has no effect.
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

// Rounds stochastically: the upper bits of `random` are added to the bits that the result does not
// have, and the sum is truncated. Sources: CDNA3 ISA, V_CVT_SR_FP8_F32, and AMD's HIP header
// amd_hip_ocp_host.hpp, which truncates denormals before the addition. RDNA4's document does not
// say which bits of the random number are added.
template <FloatFormat format>
HEDDLE_INLINE U32 stochastic(const Parts& parts, U32 random,
                             Overflow overflow = Overflow::special) {
  const Position<format> at(parts);
  constexpr uint32_t drop = 23 - format.mantissa;
  const U32 sum = (parts.significand >> at.shift) + (random >> (32 - drop));
  return with_specials<format>(parts, at.pattern(parts, sum >> drop), overflow);
}

// What conversions do on overflow: FP16_OVFL, bit 23 of MODE, selects it (AMD Instinct MI300 ISA,
// "MODE register").
HEDDLE_INLINE Overflow overflow_of(const Wavefront& w) {
  return w.mode & mode_fp16_overflow ? Overflow::saturate : Overflow::special;
}

// The next pseudorandom number: one step of a linear feedback shift register (CDNA4 ISA,
// V_PRNG_B32).
HEDDLE_INLINE U32 next_random(U32 a) {
  return a << 1 ^ select(to_lanes_of(a >> 31 != 0u), U32(197), U32(0));
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
