// Finds the possible values of an elementwise expression when its inputs are known within bounds.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "heddle/plan/expression.h"

namespace heddle::runtime {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// All numbers from `low` to `high`, which may be infinite; -0 is below +0. If both are NaN there
/// is no number, and the result is NaN.
struct Interval {
  double low = 0;
  double high = 0;
  /// The exact number if the interval is one i64; `low` and `high` may round it.
  std::int64_t integer = 0;
  bool may_be_nan = false;  // NaN is possible besides the numbers
  /// LLVM's poison, such as the integer that a float out of its range becomes: any value of the
  /// kernel is right.
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
/// Ends a series of include(): an interval without a number becomes NaN.
Interval finished(Interval all);

/// The arguments between which a function of one real number is monotonic: the ends (the largest
/// finite numbers for an infinite end), both zeros, `critical`, and NaN.
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

/// Evaluates the expression. Every step rounds as the kernel's does, so exact inputs give the one
/// right result. If the bounds do not decide a comparison, both outcomes count. Without steps the
/// result is the first input.
Interval evaluate(const plan::Expression& expression, const std::vector<Interval>& inputs);

}  // namespace heddle::runtime
