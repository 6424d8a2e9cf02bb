#include "runtime/math_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace heddle::runtime {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double smallest_normal = 0x1p-126;

// Units in the last place of an f32. Results below the normal numbers may be 0.
template <int units>
double ulps(double, double, double value) {
  if (!std::isfinite(value)) return 0;
  int exponent = 0;
  std::frexp(value, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent, -125) - 24);
  return units * unit + (std::abs(value) < 2 * smallest_normal ? smallest_normal : 0);
}

// What half a unit more or less rounds to, where float64 does not hold the exact result.
double half_ulp(double x, double y, double value) { return ulps<1>(x, y, value) / 2; }

// exp(y * log(|x|)): what is lost in the product grows with it.
double power_error(double x, double y, double value) {
  const double grown = std::abs(y * std::log(std::abs(x)));
  return ulps<3>(x, y, value) * (4 + (std::isfinite(grown) ? grown : 0));
}

// Of the reduction to one wave by two constants of f32, and of a polynomial: 2^-22 up to 2^23. Of
// larger numbers an f32 holds no part of a wave that is worth the name.
double wave_error(double x, double, double) { return std::abs(x) < 0x1p23 ? 0x1p-21 : 2; }

using enum Reading;

double cosine(double x, double, double) { return std::isfinite(x) ? std::cos(x) : nan; }
double sine(double x, double, double) { return std::isfinite(x) ? std::sin(x) : nan; }

using Whole = std::optional<std::int64_t>;

std::uint64_t plain(std::int64_t x) { return static_cast<std::uint64_t>(x); }
std::int64_t as_signed(std::uint64_t x) { return static_cast<std::int64_t>(x); }

// The smallest number by -1 has no quotient.
bool divides(std::int64_t x, std::int64_t y, int bits) {
  return y != 0 && !(y == -1 && x == std::numeric_limits<std::int64_t>::min() >> (64 - bits));
}
Whole divided(std::int64_t x, std::int64_t y, int bits) {
  if (!divides(x, y, bits)) return {};
  return x / y;
}
Whole remainder_of(std::int64_t x, std::int64_t y, int bits) {
  if (!divides(x, y, bits)) return {};
  return x % y;
}
Whole divided_down(std::int64_t x, std::int64_t y, int bits) {
  if (!divides(x, y, bits)) return {};
  return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
}
Whole divided_up(std::int64_t x, std::int64_t y, int bits) {
  if (!divides(x, y, bits)) return {};
  return x / y + (x % y != 0 && (x < 0) == (y < 0) ? 1 : 0);
}
Whole divided_unsigned(std::int64_t x, std::int64_t y, int) {
  if (y == 0) return {};
  return as_signed(plain(x) / plain(y));
}
Whole remainder_unsigned(std::int64_t x, std::int64_t y, int) {
  if (y == 0) return {};
  return as_signed(plain(x) % plain(y));
}
Whole shifted_left(std::int64_t x, std::int64_t y, int bits) {
  if (y < 0 || y >= bits) return {};
  return as_signed(plain(x) << y);
}
Whole shifted_right(std::int64_t x, std::int64_t y, int bits) {
  if (y < 0 || y >= bits) return {};
  return x >> y;
}
Whole shifted_right_unsigned(std::int64_t x, std::int64_t y, int bits) {
  if (y < 0 || y >= bits) return {};
  return as_signed(plain(x) >> y);
}

constexpr MathFunction of_integers(std::string_view name, int operands, Reading reading,
                                   Whole (*whole)(std::int64_t, std::int64_t, int)) {
  return {name, operands, reading, nullptr, nullptr, Extremes::corners, whole};
}

constexpr std::array rows{
    MathFunction{"math.absf", 1, floats, [](double x, double, double) { return std::abs(x); },
                 nullptr, Extremes::zero},
    MathFunction{"math.ceil", 1, floats, [](double x, double, double) { return std::ceil(x); }},
    MathFunction{"math.floor", 1, floats, [](double x, double, double) { return std::floor(x); }},
    MathFunction{"math.trunc", 1, floats, [](double x, double, double) { return std::trunc(x); }},
    MathFunction{"math.round", 1, floats, [](double x, double, double) { return std::round(x); }},
    MathFunction{"math.roundeven", 1, floats,
                 [](double x, double, double) { return std::nearbyint(x); }},
    MathFunction{"math.sqrt", 1, floats, [](double x, double, double) { return std::sqrt(x); },
                 half_ulp},
    MathFunction{"math.rsqrt", 1, floats, [](double x, double, double) { return 1 / std::sqrt(x); },
                 ulps<3>},
    MathFunction{"math.exp", 1, floats, [](double x, double, double) { return std::exp(x); },
                 ulps<8>},
    MathFunction{"math.exp2", 1, floats, [](double x, double, double) { return std::exp2(x); },
                 ulps<6>},
    MathFunction{"math.expm1", 1, floats, [](double x, double, double) { return std::expm1(x); },
                 ulps<8>},
    MathFunction{"math.log", 1, floats, [](double x, double, double) { return std::log(x); },
                 ulps<4>},
    MathFunction{"math.log2", 1, floats, [](double x, double, double) { return std::log2(x); },
                 ulps<4>},
    MathFunction{"math.log1p", 1, floats, [](double x, double, double) { return std::log1p(x); },
                 ulps<4>},
    MathFunction{"math.tanh", 1, floats, [](double x, double, double) { return std::tanh(x); },
                 ulps<8>},
    MathFunction{"math.erf", 1, floats, [](double x, double, double) { return std::erf(x); },
                 ulps<7>},
    MathFunction{"math.sin", 1, floats, sine, wave_error, Extremes::wave},
    MathFunction{"math.cos", 1, floats, cosine, wave_error, Extremes::wave},
    MathFunction{"math.powf", 2, floats, [](double x, double y, double) { return std::pow(x, y); },
                 power_error, Extremes::zero},
    MathFunction{"math.copysign", 2, floats,
                 [](double x, double y, double) { return std::copysign(x, y); }},
    MathFunction{"math.fma", 3, floats,
                 [](double x, double y, double z) { return std::fma(x, y, z); }, half_ulp},
    MathFunction{"math.clampf", 3, floats,
                 [](double x, double y, double z) { return std::min(std::max(x, y), z); }},
    of_integers("math.absi", 1, signed_integers,
                [](std::int64_t x, std::int64_t, int) -> Whole {
                  return x < 0 ? as_signed(0 - plain(x)) : x;
                }),
    of_integers("arith.andi", 2, signed_integers,
                [](std::int64_t x, std::int64_t y, int) -> Whole { return x & y; }),
    of_integers("arith.ori", 2, signed_integers,
                [](std::int64_t x, std::int64_t y, int) -> Whole { return x | y; }),
    of_integers("arith.xori", 2, signed_integers,
                [](std::int64_t x, std::int64_t y, int) -> Whole { return x ^ y; }),
    of_integers("arith.shli", 2, signed_integers, shifted_left),
    of_integers("arith.shrsi", 2, signed_integers, shifted_right),
    of_integers("arith.shrui", 2, unsigned_integers, shifted_right_unsigned),
    of_integers("arith.divsi", 2, signed_integers, divided),
    of_integers("arith.divui", 2, unsigned_integers, divided_unsigned),
    of_integers("arith.remsi", 2, signed_integers, remainder_of),
    of_integers("arith.remui", 2, unsigned_integers, remainder_unsigned),
    of_integers("arith.floordivsi", 2, signed_integers, divided_down),
    of_integers("arith.ceildivsi", 2, signed_integers, divided_up),
};

// Any number, and NaN.
constexpr Interval anything{-infinity, infinity};

struct Hull {
  Interval all{infinity, -infinity};
  bool has_nan = false;

  void add(const MathFunction& function, bool has_error, double x, double y, double z) {
    const double value = function.value(x, y, z);
    has_nan = has_nan || std::isnan(value);
    const double error = has_error ? function.error(x, y, value) : 0;
    all.low = std::min(all.low, value - error);
    all.high = std::max(all.high, value + error);
  }
};

// A number that is not normal, or none.
Interval with_flushed(Interval x) {
  const auto is_tiny = [](double end) { return end != 0 && std::abs(end) < smallest_normal; };
  if (is_tiny(x.low)) x.low = x.low < 0 ? -smallest_normal : 0;
  if (is_tiny(x.high)) x.high = x.high < 0 ? 0 : smallest_normal;
  return x;
}

// Of integers that were made of rounded floats, what is between the results of both ends.
Interval of_wholes(const MathFunction& function, instruction::ElementType type,
                   std::span<const Interval> operands) {
  const int bits = instruction::bits(type);
  const auto ends = [&](std::size_t i) -> std::array<std::int64_t, 2> {
    if (i >= operands.size()) return {};
    const Interval& x = operands[i];
    const bool is_wide = type == instruction::ElementType::i64;
    if (is_wide && x.low == x.high) return {x.integer, x.integer};
    const double below_zero =
        function.reading == Reading::unsigned_integers && !is_wide ? std::ldexp(1.0, bits) : 0;
    return {plan::integer_of(x.low < 0 ? x.low + below_zero : x.low),
            plan::integer_of(x.high < 0 ? x.high + below_zero : x.high)};
  };
  std::optional<Interval> all;
  for (const std::int64_t x : ends(0))
    for (const std::int64_t y : ends(1)) {
      const Whole made = function.whole(x, y, bits);
      if (!made) return anything;
      const Interval one = rounded(type, whole_number(*made));
      all = all ? Interval{std::min(all->low, one.low), std::max(all->high, one.high), one.integer}
                : one;
    }
  return *all;
}

Interval of_wave(const MathFunction& function, Interval x) {
  const double middle = x.low / 2 + x.high / 2, half = x.high / 2 - x.low / 2;
  if (!std::isfinite(middle)) return anything;
  const double value = function.value(middle, 0, 0);
  const double error = function.error(std::max(std::abs(x.low), std::abs(x.high)), 0, value) + half;
  return {std::max(value - error, -1.0 - 0x1p-20), std::min(value + error, 1.0 + 0x1p-20)};
}

}  // namespace

std::span<const MathFunction> math_functions() { return rows; }

bool is_exact(const MathFunction& function) {
  return function.error == nullptr || function.error == half_ulp;
}

int find_math_function(std::string_view name) {
  const auto found = std::ranges::find(rows, name, &MathFunction::name);
  return found == rows.end() ? -1 : static_cast<int>(found - rows.begin());
}

Interval evaluate(const MathFunction& function, instruction::ElementType type,
                  std::span<const Interval> operands) {
  if (function.whole != nullptr) return of_wholes(function, type, operands);
  const bool has_error = function.error != nullptr && type != instruction::ElementType::f64;
  std::array<Interval, 3> in{};
  bool is_point = true;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    in[i] = operands[i];
    if (std::isnan(in[i].low) || std::isnan(in[i].high)) return {nan, nan};
    is_point = is_point && in[i].low == in[i].high;
    if (has_error) in[i] = with_flushed(in[i]);
  }
  if (function.extremes == Extremes::wave)
    return is_point && !std::isfinite(in[0].low) ? Interval{nan, nan}
                                                 : rounded(type, of_wave(function, in[0]));
  Hull hull;
  for (const double x : {in[0].low, in[0].high})
    for (const double y : {in[1].low, in[1].high})
      for (const double z : {in[2].low, in[2].high}) hull.add(function, has_error, x, y, z);
  if (function.extremes == Extremes::zero && in[0].low < 0 && in[0].high > 0)
    hull.add(function, has_error, 0, in[1].low, in[2].low);
  if (hull.has_nan) return is_point ? Interval{nan, nan} : anything;
  return rounded(type, hull.all);
}

}  // namespace heddle::runtime
