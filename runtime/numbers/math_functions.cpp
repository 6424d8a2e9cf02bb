#include "runtime/numbers/math_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace heddle::runtime {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double smallest_normal = 0x1p-126;

// The error of `units` units in the last place of an f32. A result below the smallest normal number
// may be flushed to 0, which the error allows, too.
template <int units>
double ulps(double, double, double value) {
  if (!std::isfinite(value)) return 0;
  int exponent = -125;
  if (value != 0) std::frexp(value, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent, -125) - 24);
  return units * unit + (std::abs(value) < 2 * smallest_normal ? smallest_normal : 0);
}

// Half a unit in the last place: float64 does not hold the exact result, so a result near a tie may
// be rounded in either direction.
double half_ulp(double x, double y, double value) { return ulps<1>(x, y, value) / 2; }

// The error of exp(y * log(|x|)). An error of the product y * log(|x|) becomes a relative error of
// the power. It grows with the product, until the power is 0 or infinite.
double power_error(double x, double y, double value) {
  const double grown = std::abs(y * std::log(std::abs(x)));
  const double least = std::abs(value) < 2 * smallest_normal ? smallest_normal : 0;
  const double lost = ulps<3>(x, y, value);
  return 4 * lost + (grown > 0 ? std::min(grown, 128.0) * (lost - least) : 0);
}

// The absolute error of sine and cosine, from the reduction to one period and from the polynomial.
double wave_error(double, double, double) { return 0x1p-21; }

using enum Reading;

double cosine(double x, double, double) { return std::isfinite(x) ? std::cos(x) : nan; }
double sine(double x, double, double) { return std::isfinite(x) ? std::sin(x) : nan; }
double clamped(double x, double least, double most) {
  if (std::isnan(x) || std::isnan(least) || std::isnan(most)) return nan;
  return std::min(std::max(x, least), most);
}

using Whole = std::optional<std::int64_t>;

std::uint64_t plain(std::int64_t x) { return static_cast<std::uint64_t>(x); }
std::int64_t as_signed(std::uint64_t x) { return static_cast<std::int64_t>(x); }

// True if x / y is defined: y is not 0, and not -1 if x is the smallest number of the type.
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
  return {name, operands, reading, nullptr, nullptr, Shape::plain, whole};
}

constexpr std::array known_functions{
    MathFunction{"math.absf", 1, floats, [](double x, double, double) { return std::abs(x); }},
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
                 ulps<4>, Shape::plain, nullptr, -1},
    MathFunction{"math.tanh", 1, floats, [](double x, double, double) { return std::tanh(x); },
                 ulps<8>},
    MathFunction{"math.erf", 1, floats, [](double x, double, double) { return std::erf(x); },
                 ulps<7>},
    MathFunction{"math.sin", 1, floats, sine, wave_error, Shape::wave},
    MathFunction{"math.cos", 1, floats, cosine, wave_error, Shape::wave},
    MathFunction{"math.powf", 2, floats, [](double x, double y, double) { return std::pow(x, y); },
                 power_error, Shape::power, nullptr, 1},
    MathFunction{"math.copysign", 2, floats,
                 [](double x, double y, double) { return std::copysign(x, y); }, nullptr,
                 Shape::sign},
    MathFunction{"math.fma", 3, floats,
                 [](double x, double y, double z) { return std::fma(x, y, z); }, half_ulp},
    MathFunction{"math.clampf", 3, floats, clamped},
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

// Extends an interval for kernels that flush subnormal operands: a subnormal end may also be 0 with
// the same sign or the smallest normal number (PTX ISA, ".ftz": "sign-preserving zero").
Interval with_flushed(Interval x) {
  const auto is_tiny = [](double end) { return end != 0 && std::abs(end) < smallest_normal; };
  if (is_tiny(x.low)) x.low = x.low < 0 ? -smallest_normal : 0;
  if (is_tiny(x.high)) x.high = x.high < 0 ? -0.0 : smallest_normal;
  return x;
}

// An operand as a 64-bit integer, extended by its sign or by zeros as the function reads it.
std::int64_t integer_of(const MathFunction& function, instruction::ElementType type, double low,
                        std::int64_t integer) {
  if (type == instruction::ElementType::i64) return integer;
  const bool is_unsigned = function.reading == Reading::unsigned_integers;
  return static_cast<std::int64_t>(
      low < 0 && is_unsigned ? low + std::ldexp(1.0, instruction::bits(type)) : low);
}

// The results of an integer function whose operands are known as ranges only. If few combinations
// of operands are possible, all results are computed; otherwise any number is possible.
Interval of_wholes(const MathFunction& function, instruction::ElementType type,
                   std::span<const Interval> operands) {
  constexpr double most = 256;
  const int bits = instruction::bits(type);
  double results = 1;
  bool is_point = true;
  for (const Interval& x : operands) {
    if (x.is_poison) return poison();
    results *= x.high - x.low + 1;
    is_point = is_point && x.is_point();
  }
  const bool is_wide = type == instruction::ElementType::i64;
  const Interval& x = operands[0];
  const Interval y = operands.size() > 1 ? operands[1] : Interval{};
  if (!is_point && (is_wide || !(results <= most))) {
    for (const double a : {x.low, x.high})
      for (const double b : {y.low, y.high, 0.0, -1.0})
        if (b >= y.low && b <= y.high &&
            !function.whole(integer_of(function, type, a, plan::integer_of(a)),
                            integer_of(function, type, b, plan::integer_of(b)), bits))
          return poison();
    return any_integer(type);
  }
  std::optional<Interval> all;
  for (int i = 0; x.low + i <= x.high; ++i) {
    const double a = x.low + i;
    for (int j = 0; y.low + j <= y.high; ++j) {
      const double b = y.low + j;
      const Whole made = function.whole(integer_of(function, type, a, x.integer),
                                        integer_of(function, type, b, y.integer), bits);
      if (!made) return poison();
      const Interval one = is_wide ? whole_number(*made) : rounded(type, whole_number(*made));
      all = all ? united(*all, one) : one;
      if (is_point) return one;
    }
  }
  return *all;
}

Interval of_wave(const MathFunction& function, const Interval& x) {
  constexpr double most = 1.0 + 0x1p-20;
  if (std::isinf(x.low) || std::isinf(x.high)) {
    const bool has_finite = x.low != x.high;
    return has_finite ? Interval{-most, most, 0, true} : not_a_number();
  }
  const double middle = x.low / 2 + x.high / 2, half = x.high / 2 - x.low / 2;
  const double value = function.value(middle, 0, 0);
  const double error = function.error(middle, 0, value) + half;
  return {std::max(value - error, -most), std::min(value + error, most), 0, x.may_be_nan};
}

// The argument at which the function may have an extreme or jump.
double critical(const MathFunction& function, std::size_t operand) {
  return operand == 0 ? function.critical : 0;
}

}  // namespace

std::span<const MathFunction> math_functions() { return known_functions; }

bool is_exact(const MathFunction& function) {
  return function.error == nullptr || function.error == half_ulp;
}

int find_math_function(std::string_view name) {
  const auto found = std::ranges::find(known_functions, name, &MathFunction::name);
  return found == known_functions.end() ? -1 : static_cast<int>(found - known_functions.begin());
}

std::optional<int> operand_of_one_and_tanh(const plan::Expression& expression,
                                           const plan::Node& node) {
  if (node.step != plan::Step::add || node.type != instruction::ElementType::f32)
    return std::nullopt;
  static const int tanh = find_math_function("math.tanh");
  for (const std::size_t side : {0u, 1u}) {
    const plan::Node& one = expression.nodes[static_cast<std::size_t>(node.operands[side])];
    const plan::Node& other = expression.nodes[static_cast<std::size_t>(node.operands[1 - side])];
    if (one.step == plan::Step::constant && one.constant == 1 &&
        other.step == plan::Step::function1 && other.index == tanh)
      return other.operands[0];
  }
  return std::nullopt;
}

// Kernels compute 1 + tanh(x) as 1 / (exp(-2 x) / 2 + 1/2). For x >= 0 the product, the power, the
// sum and the reciprocal together have an error of at most 3 ulp of the result. For x < 0 the error
// of the product grows with |x|, but stays below the error that tanh may have.
Interval with_one_and_tanh(const Interval& sum) {
  if (sum.is_poison || !sum.has_numbers()) return sum;
  Interval all = sum;
  all.low -= ulps<3>(0, 0, sum.low);
  all.high += ulps<3>(0, 0, sum.high);
  return all;
}

Interval evaluate(const MathFunction& function, instruction::ElementType type,
                  std::span<const Interval> operands) {
  if (function.whole != nullptr) return of_wholes(function, type, operands);
  const bool has_error = function.error != nullptr && type != instruction::ElementType::f64;
  std::array<Interval, 3> in{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_poison) return poison();
    in[i] = has_error ? with_flushed(operands[i]) : operands[i];
  }
  if (function.shape == Shape::wave) {
    if (!in[0].has_numbers()) return not_a_number();
    return rounded(type, of_wave(function, in[0]));
  }
  // A negative number has powers at integer exponents only, with either sign; so have the powers of
  // -0. Between them there is none. So if the exponent is a range, any float is possible.
  if (function.shape == Shape::power && std::signbit(in[0].low) && in[1].low < in[1].high)
    return any_float();
  Interval all = nothing();
  const Arguments second(in[1], critical(function, 1)), third(in[2], critical(function, 2));
  for (const double x : Arguments(in[0], critical(function, 0)))
    for (const double y : second)
      for (const double z : third) {
        const double value = function.value(x, y, z);
        const double error = has_error ? function.error(x, y, value) : 0;
        include(all, error > 0 ? value - error : value);  // -0 + 0 is another zero
        include(all, error > 0 ? value + error : value);
        if (std::isnan(y) && function.shape == Shape::sign) include(all, -value);
      }
  return rounded(type, finished(all));
}

}  // namespace heddle::runtime
