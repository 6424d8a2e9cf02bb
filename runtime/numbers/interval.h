// Finds the possible values of an elementwise expression when its inputs are known within bounds.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "heddle/plan/expression.h"

namespace heddle::runtime {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// All numbers from `low` to `high`, which may be infinite; -0 is below +0. If `low` and `high` are
/// NaN, the interval contains no number: the value is NaN.
struct Interval {
  double low = 0;
  double high = 0;
  /// The exact value if the interval contains a single i64. `low` and `high` may be rounded.
  std::int64_t integer = 0;
  bool may_be_nan = false;  // NaN is possible besides the numbers
  /// True if the value is poison in LLVM's sense, for example an integer converted from a float out
  /// of its range. Then any value of the kernel is right.
  bool is_poison = false;

  bool has_numbers() const { return !std::isnan(low); }
  bool has_nan() const { return may_be_nan || std::isnan(low); }
  bool is_point() const {
    return low == high && std::signbit(low) == std::signbit(high) && !may_be_nan && !is_poison;
  }
};

/// The interval of one i64.
constexpr Interval whole_number(std::int64_t integer) {
  return {static_cast<double>(integer), static_cast<double>(integer), integer};
}

constexpr Interval not_a_number() {
  return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
}
/// Any number, and NaN.
constexpr Interval any_float() { return {-infinity, infinity, 0, true}; }
constexpr Interval poison() { return {-infinity, infinity, 0, true, true}; }

/// Any number of an integer type.
Interval any_integer(instruction::ElementType type);

/// The smallest interval with all values of both.
Interval united(const Interval& x, const Interval& y);

/// Adds one result, which may be NaN.
void include(Interval& all, double result);
/// The empty interval, to which include() adds.
constexpr Interval nothing() { return {infinity, -infinity}; }
/// To be called after the last include(). An interval without any number becomes NaN.
Interval finished(Interval all);

/// The arguments at which a function of a real number may have its extremes, if the function is
/// monotonic between these arguments: the ends of the interval (the largest finite numbers in place
/// of infinities, too), both zeros, `critical`, and NaN.
struct Arguments {
  explicit Arguments(const Interval& x, double critical = 0);
  const double* begin() const { return at; }
  const double* end() const { return at + count; }

  double at[9];
  int count = 0;
};

/// The interval of `value` rounded to `type`: floats to nearest even (f8 and 16-bit ones by way of
/// f32), integers modulo 2^bits. In a type without infinity, a number beyond the largest one
/// becomes NaN.
Interval rounded(instruction::ElementType type, Interval value);

/// Evaluates the expression. Every step rounds as the same step of a kernel does, so if the inputs
/// are exact, the result is the only right one. If the bounds do not decide a comparison, both
/// outcomes are possible. An expression without steps returns the first input.
Interval evaluate(const plan::Expression& expression, const std::vector<Interval>& inputs);

}  // namespace heddle::runtime
