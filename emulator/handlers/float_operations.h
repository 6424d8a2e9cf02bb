// Floating-point operations that the hardware defines and C++ does not: minimum and maximum with
// NaN and signed zeros, conversions that saturate, and the steps of a division.
#pragma once

#include "emulator/handlers/lanes.h"

namespace heddle::emulator::HEDDLE_LEVEL {

// Vectors of integers with the same width as a float element.
template <class F>
struct BitsOf;
template <>
struct BitsOf<F32> {
  using Unsigned = U32;
  using Signed = I32;
  static constexpr uint32_t sign = 0x80000000u, quiet = 0x00400000u, infinity = 0x7f800000u;
};
template <>
struct BitsOf<F64> {
  using Unsigned = U64;
  using Signed = I64;
  static constexpr uint64_t sign = uint64_t{1} << 63, quiet = uint64_t{1} << 51,
                            infinity = uint64_t{0x7ff} << 52;
};
template <>
struct BitsOf<F16> {
  using Unsigned = U16;
  using Signed = I16;
  static constexpr uint16_t sign = 0x8000u, quiet = 0x0200u, infinity = 0x7c00u;
};

template <class F>
using UnsignedOf = typename BitsOf<F>::Unsigned;

template <class F>
HEDDLE_INLINE Lanes is_nan(F x) {
  using U = UnsignedOf<F>;
  return to_lanes_of((bits_as<U>(x) & U(static_cast<decltype(BitsOf<F>::sign)>(~BitsOf<F>::sign))) >
                     U(BitsOf<F>::infinity));
}

template <class F>
HEDDLE_INLINE F quieted(F x) {
  using U = UnsignedOf<F>;
  return select(is_nan(x), bits_as<F>(U(bits_as<U>(x) | U(BitsOf<F>::quiet))), x);
}

// True in lanes where a < b, compared as integers, so that -0 is less than +0. v_min and v_max
// compare like this.
template <class F>
HEDDLE_INLINE Lanes less_total(F a, F b) {
  using S = typename BitsOf<F>::Signed;
  const S x = bits_as<S>(a), y = bits_as<S>(b);
  const S flip = S(static_cast<decltype(BitsOf<F>::sign)>(~BitsOf<F>::sign));
  constexpr int top = sizeof(BitsOf<F>::sign) * 8 - 1;
  return to_lanes_of((x ^ ((x >> top) & flip)) < (y ^ ((y >> top) & flip)));
}

// Flushes denormals of an operand to 0 if MODE says so for f32 (the host's control register is set
// as MODE is). f32 arithmetic does this by itself; v_min and v_max do it too, and LLVM uses `v_max
// x, x` to flush. Here a multiplication by 1 does it. The factor is hidden from the compiler, which
// would remove the multiplication.
template <class F>
HEDDLE_INLINE F flushed(F x) {
  if constexpr (sizeof(x[0]) == 4) {
    float one = 1;
#if defined(__x86_64__)
    asm("" : "+x"(one));
#endif
    return x * F(one);
  }
  return x;
}

// minNum and maxNum of IEEE 754-2008: if one operand is NaN, the result is the other one.
template <class F>
HEDDLE_INLINE F minimum_number(F a, F b) {
  a = flushed(a), b = flushed(b);
  F result = select(less_total(a, b), a, b);
  result = select(is_nan(a), quieted(b), result);
  return select(is_nan(b), quieted(a), result);
}
template <class F>
HEDDLE_INLINE F maximum_number(F a, F b) {
  a = flushed(a), b = flushed(b);
  F result = select(less_total(a, b), b, a);
  result = select(is_nan(a), quieted(b), result);
  return select(is_nan(b), quieted(a), result);
}

// minimum and maximum of IEEE 754-2019 (v_minimum and v_maximum of gfx12): if an operand is NaN,
// the result is NaN.
template <class F>
HEDDLE_INLINE F minimum_nan(F a, F b) {
  a = flushed(a), b = flushed(b);
  F result = select(less_total(a, b), a, b);
  result = select(is_nan(b), quieted(b), result);
  return select(is_nan(a), quieted(a), result);
}
template <class F>
HEDDLE_INLINE F maximum_nan(F a, F b) {
  a = flushed(a), b = flushed(b);
  F result = select(less_total(a, b), b, a);
  result = select(is_nan(b), quieted(b), result);
  return select(is_nan(a), quieted(a), result);
}

// v_med3: if one operand is NaN, the result is the smallest of the three, as in the ISA's
// pseudocode.
template <class F>
HEDDLE_INLINE F median_number(F a, F b, F c) {
  const F any = minimum_number(minimum_number(a, b), c);
  const F middle = maximum_number(minimum_number(a, b), minimum_number(maximum_number(a, b), c));
  return select(is_nan(a) | is_nan(b) | is_nan(c), any, middle);
}

// Replaces denormals by 0. Some f32 instructions treat denormal operands and results as 0 in every
// mode; LLVM's lowering of exp2, log2, division and square root works around that.
HEDDLE_INLINE F32 without_denormals(F32 x) {
  const U32 bits = bits_as<U32>(x);
  return bits_as<F32>(select(to_lanes_of((bits & 0x7f800000u) == 0u), bits & 0x80000000u, bits));
}

// Calls a function of the C library for every lane.
template <auto function, class F>
HEDDLE_INLINE F each_lane(F x) {
  F result;
  for (int l = 0; l < lanes; ++l) result[l] = function(x[l]);
  return result;
}

// Rounds toward zero, saturates, NaN to 0.
template <class Integer, class F>
HEDDLE_INLINE Integer saturating_convert(F x, F lowest, F beyond, Integer minimum,
                                         Integer maximum) {
  const F safe = select(to_lanes_of(x >= lowest) & to_lanes_of(x < beyond), x, F(0));
  Integer result = convert<Integer>(safe);
  result = select(to_lanes_of(x < lowest), minimum, result);
  return select(to_lanes_of(x >= beyond), maximum, result);
}
HEDDLE_INLINE I32 to_i32(F32 x) {
  return saturating_convert<I32>(x, F32(-2147483648.0f), F32(2147483648.0f), I32(-2147483647 - 1),
                                 I32(2147483647));
}
HEDDLE_INLINE U32 to_u32(F32 x) {
  return saturating_convert<U32>(__builtin_elementwise_trunc(x), F32(0.0f), F32(4294967296.0f),
                                 U32(0), U32(~0u));
}
HEDDLE_INLINE I32 to_i32(F64 x) {
  return saturating_convert<I32>(__builtin_elementwise_trunc(x), F64(-2147483648.0),
                                 F64(2147483648.0), I32(-2147483647 - 1), I32(2147483647));
}
HEDDLE_INLINE U32 to_u32(F64 x) {
  return saturating_convert<U32>(__builtin_elementwise_trunc(x), F64(0.0), F64(4294967296.0),
                                 U32(0), U32(~0u));
}

// Converts f64 to f16 with a result as if it was rounded once. First f64 is rounded to f32 "to
// odd": if bits are lost, the last bit becomes 1. As f32 has more than two bits more than f16, the
// second rounding then gives the correct result.
HEDDLE_INLINE F16 round_to_f16(F64 x) {
  const U64 bits = bits_as<U64>(x);
  const U64 low = bits & U64(0x1fffffff);
  const U64 odd = select(to_lanes_of(low != 0u), U64(0x20000000), U64(0));
  return convert<F16>(convert<F32>(bits_as<F64>((bits & ~U64(0x1fffffff)) | odd)));
}

// a * b + c, rounded once. The product of two f16 is exact in f64. So is the sum, unless the
// product and c differ very much in size; the rounding to the 53 bits of f64 then cannot create or
// hide a tie for the rounding to f16.
HEDDLE_INLINE F16 fused_f16(F16 a, F16 b, F16 c) {
  const F64 x = convert<F64>(convert<F32>(a)), y = convert<F64>(convert<F32>(b)),
            z = convert<F64>(convert<F32>(c));
  return round_to_f16(__builtin_elementwise_fma(x, y, z));
}

HEDDLE_INLINE F16 rounded_toward_zero(F32 x) {
  const U16 nearest = bits_as<U16>(convert<F16>(x));
  const F32 back = convert<F32>(bits_as<F16>(nearest));
  const Lanes beyond =
      to_lanes_of((bits_as<U32>(back) & 0x7fffffffu) > (bits_as<U32>(x) & 0x7fffffffu)) &
      ~is_nan(x);
  return bits_as<F16>(select(beyond, U16(nearest - U16(1)), nearest));
}

// For v_sin and v_cos. The argument is in turns: 1 stands for 2 pi. Results at multiples of a
// quarter turn are exact.
constexpr auto sine_lane = [](float x) {
  const double turns = static_cast<double>(x) - __builtin_floor(static_cast<double>(x));
  if (turns == 0.0 || turns == 0.5) return 0.0f;
  return static_cast<float>(__builtin_sin(turns * 6.283185307179586));
};
constexpr auto cosine_lane = [](float x) {
  const double turns = static_cast<double>(x) - __builtin_floor(static_cast<double>(x));
  if (turns == 0.25 || turns == 0.75) return 0.0f;
  return static_cast<float>(__builtin_cos(turns * 6.283185307179586));
};

// For the pseudo-scalar instructions of gfx12: applies the operation `op` of a vector instruction
// to one scalar register, and writes another scalar register.
template <auto op>
const Instruction* on_scalar(Wavefront& w, const Instruction* in) {
  using F = typename SignatureOf<op>::Result;
  const F result = output_modifiers(op(Read<true>{w, in}.get(0, Tag<F>{})), w, in);
  w.scalar[in->destination] = bits_as<UnsignedOf<F>>(result)[0];
  return in + 1;
}

template <auto op>
constexpr Row pseudo_scalar(const char* name) {
  Row row = base_row<op>(name, Form::vector_to_scalar);
  row.plain = row.general = &on_scalar<op>;
  return row;
}

// To the nearest bf16, ties to even, NaN stays NaN.
HEDDLE_INLINE U16 round_to_bf16(F32 x) {
  const U32 bits = bits_as<U32>(x);
  const U32 rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return convert<U16>(select(is_nan(x), bits >> 16 | 0x40u, rounded));
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
