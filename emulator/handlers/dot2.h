// v_dot2 with an f32 sum: how gfx11 adds two products to the accumulator.
//
// Source: measurements on gfx1151, github.com/ROCm/rocm-systems issue 12056. The hardware converts
// the three addends to integer multiples of the same unit, and adds these integers:
//   - The unit is 2^24 times smaller than the largest of three powers of two: that of the
//     accumulator, and for each product the sum of its operands' exponents. An f16 denormal has
//     the exponent of the smallest normal number, and its products use that exponent.
//   - An addend whose sign is not that of the accumulator is negated by flipping its bits, without
//     the increment that completes a two's complement: it is one unit lower than it should be.
//     So -1 + 3 * 8 + 8 * 4 is 55.0000038.
//   - Denormals of bf16 operands, of the accumulator and of the result are 0, whatever MODE says
//     (LLVM pull request 205101 says so of v_dot2_f32_f16 on other GPUs, too).
//   - Infinities and NaN give the results of IEEE 754.
// The measurements leave three things open. Here it is assumed that bits below the unit are cut
// off, that the sum is rounded like any f32 result, and that an addend of 0 is ignored.
#pragma once

#include "emulator/handlers/float_operations.h"

namespace heddle::emulator::HEDDLE_LEVEL {

HEDDLE_INLINE F32 wide(F16 x) { return convert<F32>(x); }
HEDDLE_INLINE F32 wide(Bfloat x) { return bits_as<F32>(convert<U32>(x.bits) << 16); }

// A finite number: significand * 2^(exponent - fraction_bits).
struct Finite {
  U32 significand;
  I32 exponent;
};

template <int fraction_bits, int bias>
HEDDLE_INLINE Finite finite_parts(U32 bits, bool keeps_denormals) {
  constexpr uint32_t hidden = 1u << fraction_bits, exponents = 2 * bias + 1;
  const U32 field = bits >> uint32_t{fraction_bits} & exponents, fraction = bits & (hidden - 1);
  const Lanes denormal = to_lanes_of(field == 0u);
  const U32 small = keeps_denormals ? fraction : U32(0);
  return {select(denormal, small, fraction | hidden),
          bits_as<I32>(select(denormal, U32(1), field)) - bias};
}
HEDDLE_INLINE Finite finite_parts(F16 x) {
  return finite_parts<10, 15>(convert<U32>(bits_as<U16>(x)), true);
}
HEDDLE_INLINE Finite finite_parts(Bfloat x) {
  return finite_parts<7, 127>(convert<U32>(x.bits), false);
}

// Fraction bits of a product of two numbers.
template <class T>
constexpr uint32_t product_fraction = 20;
template <>
inline constexpr uint32_t product_fraction<Bfloat> = 14;

// One of the three addends, before it is converted to the common unit. Its absolute value is
// magnitude * 2^(exponent - 24).
struct Addend {
  U32 magnitude;
  I32 exponent;
  Lanes negative;
};

template <class T>
HEDDLE_INLINE Addend product_of(T a, T b) {
  const Finite x = finite_parts(a), y = finite_parts(b);
  const U32 signs = bits_as<U32>(wide(a)) ^ bits_as<U32>(wide(b));
  return {x.significand * y.significand << (24 - product_fraction<T>), x.exponent + y.exponent,
          to_lanes_of(signs >> 31 != 0u)};
}
HEDDLE_INLINE Addend addend_of(F32 c) {
  const U32 bits = bits_as<U32>(c);
  const Finite x = finite_parts<23, 127>(bits, false);
  return {x.significand << 1, x.exponent, to_lanes_of(bits >> 31 != 0u)};
}

// Converts an addend to an integer number of units; `top` is the largest exponent of the three
// addends, which determines the unit. The integer is negated (by flipping its bits) if the addend's
// sign differs from `frame`, the sign of the accumulator.
HEDDLE_INLINE I32 on_grid(const Addend& x, I32 top, Lanes frame) {
  U32 shift = bits_as<U32>(top - x.exponent);
  shift = select(to_lanes_of(shift > 31u), U32(31), shift);
  const I32 units = bits_as<I32>(x.magnitude >> shift);
  const Lanes present = to_lanes_of(x.magnitude != 0u);
  return select(present & (x.negative ^ frame), ~units, units);
}

template <class T>
HEDDLE_INLINE F32 dot2_gfx11(Pair<T> a, Pair<T> b, F32 c) {
  const Addend all[] = {product_of(a.low, b.low), product_of(a.high, b.high), addend_of(c)};
  constexpr int none = -1000;
  I32 top = I32(none);
  for (const Addend& x : all) {
    const I32 exponent = select(to_lanes_of(x.magnitude != 0u), x.exponent, I32(none));
    top = exponent > top ? exponent : top;
  }
  const Lanes frame = all[2].negative;
  I32 sum = I32(0);
  for (const Addend& x : all) sum += on_grid(x, top, frame);
  const Lanes opposite = to_lanes_of(sum < 0);
  const I32 magnitude = select(opposite, -sum, sum);
  // Scaling the sum in f64 is exact: f64 has enough exponents for every sum that is not 0.
  top = select(to_lanes_of(top < -1000 + 24), I32(0), top);
  const U64 scale = convert<U64>(bits_as<U32>(top - 24 + 1023)) << 52;
  F32 result = convert<F32>(convert<F64>(magnitude) * bits_as<F64>(scale));
  // If the sum is zero, it is -0 only if all three addends are negative.
  const Lanes negative =
      select(to_lanes_of(sum == 0), frame & all[0].negative & all[1].negative, frame ^ opposite);
  result = without_denormals(result);
  result = select(negative, -result, result);
  // Infinities and NaN.
  const F32 ieee = wide(a.low) * wide(b.low) + wide(a.high) * wide(b.high) + c;
  const auto finite = [](F32 x) {
    return to_lanes_of((bits_as<U32>(x) & 0x7f800000u) != 0x7f800000u);
  };
  const Lanes all_finite = finite(wide(a.low)) & finite(wide(a.high)) & finite(wide(b.low)) &
                           finite(wide(b.high)) & finite(c);
  return select(all_finite, result, ieee);
}

// v_dot2 of gfx12. In which order it adds and how it rounds is not published. Here products are
// exact, the upper product is added to the accumulator first, and each addition is rounded to f32.
// Denormals of the accumulator and of the result are 0, as on gfx11.
template <class T>
HEDDLE_INLINE F32 dot2_gfx12(Pair<T> a, Pair<T> b, F32 c) {
  const F32 upper = wide(a.high) * wide(b.high) + without_denormals(c);
  return without_denormals(wide(a.low) * wide(b.low) + upper);
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
