// Encodes and decodes floats of any format, with all rounding modes of PTX.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace heddle::emulator::ptx {

enum class Rounding : uint8_t { nearest_even, zero, down, up, nearest_away };

// A floating-point format. `precision` includes the hidden bit. If a format has no infinities
// (e4m3), the largest bit pattern is NaN, and the one below it is the largest number. If a format
// has no NaN either, every pattern is a number, and a NaN is encoded as the largest number (PTX ISA
// 9.0, "cvt").
struct FloatFormat {
  int precision, exponent_bits;
  bool has_infinity = true, has_nan = true;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int bits() const { return precision + exponent_bits; }
  constexpr uint64_t sign() const { return uint64_t{1} << (bits() - 1); }
  constexpr uint64_t infinity() const {
    return ((uint64_t{1} << exponent_bits) - 1) << (precision - 1);
  }
  constexpr uint64_t nan() const { return sign() - 1; }  // what NVIDIA's arithmetic gives
  constexpr uint64_t largest() const {
    return has_infinity ? infinity() - 1 : has_nan ? nan() - 1 : nan();
  }
};

inline constexpr FloatFormat format_f64{53, 11}, format_f32{24, 8}, format_f16{11, 5},
    format_bf16{8, 8}, format_tf32{11, 8}, format_e4m3{4, 4, false}, format_e5m2{3, 5},
    format_e2m3{4, 2, false, false}, format_e3m2{3, 3, false, false},
    format_e2m1{2, 2, false, false};

// Encodes (-1)^negative * significand * 2^exponent. If `sticky`, the exact value is greater in
// magnitude by less than one unit of the significand. If `finite`, an overflow gives the largest
// number instead of infinity.
constexpr uint64_t encode(FloatFormat f, bool negative, uint64_t significand, int exponent,
                          bool sticky, Rounding rounding, bool finite = false) {
  const uint64_t sign = negative ? f.sign() : 0;
  if (significand == 0) {
    if (!sticky) return sign;
    significand = 1;  // smaller than the last place of any result
    exponent = -4000;
    sticky = false;
  }
  const int lowest = 1 - f.bias() - (f.precision - 1);  // exponent of the smallest number
  const int top = exponent + 63 - std::countl_zero(significand);
  int quantum = top - (f.precision - 1);
  if (quantum < lowest) quantum = lowest;
  const int shift = quantum - exponent;
  uint64_t kept = 0;
  bool half = false, rest = sticky;
  if (shift <= 0) {
    kept = significand << -shift;
  } else if (shift > 64) {
    rest = true;
  } else {
    kept = shift == 64 ? 0 : significand >> shift;
    half = (significand >> (shift - 1) & 1) != 0;
    rest |= (significand & ((uint64_t{1} << (shift - 1)) - 1)) != 0;
  }
  bool up = false;
  switch (rounding) {
    case Rounding::nearest_even:
      up = half && (rest || (kept & 1));
      break;
    case Rounding::nearest_away:
      up = half;
      break;
    case Rounding::zero:
      break;
    case Rounding::down:
      up = negative && (half || rest);
      break;
    case Rounding::up:
      up = !negative && (half || rest);
      break;
  }
  kept += up;
  if (quantum - lowest > 5000) kept = f.infinity();
  const uint64_t bits = (static_cast<uint64_t>(quantum - lowest) << (f.precision - 1)) + kept;
  if (quantum - lowest <= 5000 && bits <= f.largest()) return sign | bits;
  const bool toward_zero = rounding == Rounding::zero ||
                           (rounding == Rounding::down && !negative) ||
                           (rounding == Rounding::up && negative);
  if (finite || toward_zero) return sign | f.largest();
  return sign | (f.has_infinity ? f.infinity() : f.nan());
}

// Encodes a double in a narrower format.
inline uint64_t encode(FloatFormat f, double value, Rounding rounding, bool finite = false) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const bool negative = bits >> 63;
  const uint64_t magnitude = bits & ~(uint64_t{1} << 63);
  if (magnitude > format_f64.infinity()) return f.nan();
  if (magnitude == format_f64.infinity())
    return (negative ? f.sign() : 0) | (finite           ? f.largest()
                                        : f.has_infinity ? f.infinity()
                                                         : f.nan());
  const int field = static_cast<int>(magnitude >> 52);
  const uint64_t fraction = magnitude & ((uint64_t{1} << 52) - 1);
  const uint64_t significand = field == 0 ? fraction : fraction | uint64_t{1} << 52;
  return encode(f, negative, significand, (field == 0 ? 1 : field) - 1075, false, rounding, finite);
}

// Decodes a number exactly; every format up to f32 fits in a double.
inline double decode(FloatFormat f, uint64_t bits) {
  const bool negative = (bits & f.sign()) != 0;
  const uint64_t magnitude = bits & (f.sign() - 1);
  double value = 0;
  if (f.has_infinity ? magnitude > f.infinity() : f.has_nan && magnitude == f.nan()) {
    value = std::bit_cast<double>(uint64_t{0x7ff8000000000000});
  } else if (f.has_infinity && magnitude == f.infinity()) {
    value = HUGE_VAL;
  } else {
    const int field = static_cast<int>(magnitude >> (f.precision - 1));
    const uint64_t fraction = magnitude & ((uint64_t{1} << (f.precision - 1)) - 1);
    const uint64_t significand =
        field == 0 ? fraction : fraction | uint64_t{1} << (f.precision - 1);
    value = std::ldexp(static_cast<double>(significand),
                       (field == 0 ? 1 : field) - f.bias() - (f.precision - 1));
  }
  return negative ? -value : value;
}

// Fast conversions for the element types of matrices.
inline float f16_to_f32(uint16_t bits) {
  const uint32_t magnitude = bits & 0x7fffu;
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  const uint32_t word =
      magnitude >= 0x7c00u ? magnitude << 13 | 0x7f800000u : std::bit_cast<uint32_t>(scaled);
  return std::bit_cast<float>(word | (bits & 0x8000u) << 16);
}
inline float bf16_to_f32(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

// a * b + c for numbers with so few bits that the product is exact in a double. The sum is rounded
// to odd, so that a second rounding, to at most 51 bits, gives the same result as a single one.
inline double multiply_add_odd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  const uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  const bool away = (error > 0) == (sum > 0);
  if (sum == 0) return sum;
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

}  // namespace heddle::emulator::ptx
