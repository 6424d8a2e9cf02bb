#include "runtime/numbers/number.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "library/text/formatted.h"

namespace heddle::runtime {
namespace {

/// 2^exponent for exponents of normal numbers. It is needed a few times for every element of a
/// matrix, and std::ldexp takes ten times as long.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// The binary exponent of a finite number; -1023 for subnormal numbers and 0.
constexpr int exponent_of(double value) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 0x7ffu) - 1023;
}

/// Rounds `value` to `precision` significant bits, to nearest with ties to even. Numbers below
/// 2^least keep fewer bits.
double rounded_to(double value, int precision, int least) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double quantum = power_of_two(std::max(exponent_of(value), least) - precision + 1);
  return std::nearbyint(value / quantum) * quantum;
}

/// bf16 is the upper half of an f32. The compiler's __bf16 would need a conversion routine that
/// libgcc 12 lacks.
struct Bf16 {
  std::uint16_t bits;

  explicit Bf16(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t to_nearest_even = 0x7fffu + (word >> 16 & 1u);
    bits = static_cast<std::uint16_t>(std::isnan(value) ? word >> 16 | 0x40u
                                                        : (word + to_nearest_even) >> 16);
  }
  double value() const {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
  }
};

/// A float of 8 bits with sign, exponent and fraction, as IEEE 754 encodes them. E4M3 has no
/// infinities: with an exponent of all ones it is a number, except with fraction 7, which is NaN.
/// In CDNA3's formats an exponent of all ones is always a number; their NaN has the bits of
/// negative zero.
struct SmallFloat {
  int exponents, fractions;
  bool has_infinity;
  bool is_fnuz = false;

  int bias() const { return (1 << (exponents - 1)) - (is_fnuz ? 0 : 1); }
  std::uint32_t sign_bit() const { return 1u << (exponents + fractions); }
  double largest() const {
    if (is_fnuz)
      return (2.0 - power_of_two(-fractions)) * power_of_two((1 << exponents) - 1 - bias());
    const int exponent = bias() + (has_infinity ? 0 : 1);
    return (2.0 - power_of_two((has_infinity ? 0 : 1) - fractions)) * power_of_two(exponent);
  }

  double decode(std::uint32_t bits) const {
    const std::uint32_t fraction = bits & ((1u << fractions) - 1u);
    const int exponent = static_cast<int>(bits >> fractions & ((1u << exponents) - 1u));
    if (is_fnuz && bits == sign_bit()) return std::numeric_limits<double>::quiet_NaN();
    const bool all_ones = !is_fnuz && exponent == (1 << exponents) - 1;
    double value;
    if (all_ones && (has_infinity || fraction == (1u << fractions) - 1u))
      value = has_infinity && fraction == 0 ? std::numeric_limits<double>::infinity()
                                            : std::numeric_limits<double>::quiet_NaN();
    else
      value = (fraction + (exponent == 0 ? 0u : 1u << fractions)) *
              power_of_two(std::max(exponent, 1) - bias() - fractions);
    return (bits & sign_bit()) != 0 ? -value : value;
  }

  /// `value` rounded to the number of bits of the format, as if the format had no largest exponent.
  double nearest(double value) const { return rounded_to(value, fractions + 1, 1 - bias()); }

  std::uint32_t encode(double value) const {
    const std::uint32_t sign = std::signbit(value) ? sign_bit() : 0;
    if (is_fnuz && std::isnan(value)) return sign_bit();
    const std::uint32_t ones = ((1u << exponents) - 1u) << fractions;
    if (std::isnan(value)) return sign | ones | ((1u << fractions) - 1u);
    const double size = std::min(nearest(std::abs(value)), largest());
    if (size == 0) return is_fnuz ? 0 : sign;
    const int exponent = std::max(exponent_of(size), 1 - bias());
    const auto scaled = static_cast<std::uint32_t>(size * power_of_two(fractions - exponent));
    // `scaled` includes the leading bit, which adds one to the exponent field. So the field is one
    // less here.
    return sign + (static_cast<std::uint32_t>(exponent + bias() - 1) << fractions) + scaled;
  }
};

SmallFloat small_float(NumberType type) {
  const bool is_fnuz = type == NumberType::fp8_fnuz || type == NumberType::bf8_fnuz;
  return {row(type).exponents, row(type).precision - 1, type == NumberType::bf8, is_fnuz};
}

template <class T>
double load_as(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return static_cast<double>(value);
}

template <class T>
void store_as(std::byte* place, T value) {
  std::memcpy(place, &value, sizeof value);
}

/// The integer nearest to `value`, modulo 2^64; 0 for infinities and NaN.
std::uint64_t integer_of(double value) {
  if (!std::isfinite(value)) return 0;
  const double whole = std::fmod(std::nearbyint(value), 0x1p64);
  const auto size = static_cast<std::uint64_t>(std::abs(whole));
  return whole < 0 ? 0 - size : size;
}

}  // namespace

double load_number(NumberType type, const std::byte* place) {
  switch (type) {
    case NumberType::f32:
      return load_as<float>(place);
    case NumberType::f64:
      return load_as<double>(place);
    case NumberType::f16:
      return load_as<_Float16>(place);
    case NumberType::bf16: {
      Bf16 value(0);
      std::memcpy(&value.bits, place, sizeof value.bits);
      return value.value();
    }
    case NumberType::fp8:
    case NumberType::bf8:
    case NumberType::fp8_fnuz:
    case NumberType::bf8_fnuz:
      return small_float(type).decode(std::to_integer<std::uint32_t>(*place));
    case NumberType::i8:
      return load_as<std::int8_t>(place);
    case NumberType::i16:
      return load_as<std::int16_t>(place);
    case NumberType::i32:
      return load_as<std::int32_t>(place);
    case NumberType::i64:
      return load_as<std::int64_t>(place);
    case NumberType::u8:
      return load_as<std::uint8_t>(place);
    case NumberType::u16:
      return load_as<std::uint16_t>(place);
    case NumberType::u32:
      return load_as<std::uint32_t>(place);
    case NumberType::u64:
      return load_as<std::uint64_t>(place);
  }
  return 0;
}

std::uint64_t wrapped(NumberType type, std::uint64_t integer) {
  const int bits = 8 * row(type).bytes;
  if (bits == 64) return integer;
  integer &= (std::uint64_t{1} << bits) - 1;
  const bool is_negative = row(type).is_signed && (integer >> (bits - 1) & 1) != 0;
  return is_negative ? integer | ~std::uint64_t{0} << bits : integer;
}

std::uint64_t load_integer(NumberType type, const std::byte* place) {
  std::uint64_t integer = 0;  // the low bytes come first
  std::memcpy(&integer, place, static_cast<std::size_t>(row(type).bytes));
  return wrapped(type, integer);
}

std::string integer_text(NumberType type, std::uint64_t integer) {
  integer = wrapped(type, integer);
  return row(type).is_signed ? formatted("{}", static_cast<std::int64_t>(integer))
                             : formatted("{}", integer);
}

void store_number(NumberType type, std::byte* place, double value) {
  if (type == NumberType::f32) return store_as(place, static_cast<float>(value));
  if (type == NumberType::f64) return store_as(place, value);
  if (type == NumberType::f16)
    return store_as(place, static_cast<_Float16>(static_cast<float>(value)));
  if (type == NumberType::bf16) return store_as(place, Bf16(static_cast<float>(value)).bits);
  if (is_float(type))
    return store_as(place, static_cast<std::uint8_t>(small_float(type).encode(value)));
  const std::uint64_t bits = integer_of(value);  // the low bytes come first
  std::memcpy(place, &bits, static_cast<std::size_t>(row(type).bytes));
}

double largest_finite(NumberType type) {
  const NumberRow& types = row(type);
  if (types.bytes == 1) return small_float(type).largest();
  return std::ldexp(2 - std::ldexp(1.0, 1 - types.precision), (1 << (types.exponents - 1)) - 1);
}

double rounded(NumberType type, double value) {
  std::array<std::byte, 8> place;
  store_number(type, place.data(), value);
  return load_number(type, place.data());
}

double rounded_or_infinity(NumberType type, double value) {
  if (is_float(type) && row(type).bytes == 1 &&
      small_float(type).nearest(std::abs(value)) > small_float(type).largest())
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded(type, value);
}

bool lacks_infinity(NumberType type) {
  return is_float(type) && row(type).bytes == 1 && type != NumberType::bf8;
}

}  // namespace heddle::runtime
