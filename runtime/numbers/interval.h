// What an elementwise expression may give when its inputs are known within bounds.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "heddle/plan/expression.h"

namespace heddle::runtime {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// All numbers from `low` to `high`, which may be infinite; -0 is below +0. NaN in both: there is
/// no number, and the result is NaN.
struct Interval {
  double low = 0;
  double high = 0;
  /// The number itself where that is an i64 and has no width: the others may round it.
  std::int64_t integer = 0;
  bool may_be_nan = false;  // NaN is possible besides the numbers
  /// LLVM's poison, such as the integer that a float out of its range becomes: whatever a kernel
  /// has here is right.
  bool is_poison = false;

  bool has_numbers() const { return !std::isnan(low); }
  bool has_nan() const { return may_be_nan || std::isnan(low); }
  bool is_point() const {
    return low == high && std::signbit(low) == std::signbit(high) && !may_be_nan && !is_poison;
  }
};

/// An i64.
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

/// What is in one of them, or in both.
Interval united(const Interval& x, const Interval& y);

/// Adds one result, which may be NaN.
void include(Interval& all, double result);
/// What include() begins with.
constexpr Interval nothing() { return {infinity, -infinity}; }
/// NaN alone where no number was included.
Interval finished(Interval all);

/// The arguments between which a function of a real number rises or falls: the ends, the largest
/// finite numbers where an end is infinite, both zeros, `critical`, and NaN.
struct Arguments {
  explicit Arguments(const Interval& x, double critical = 0);
  const double* begin() const { return at; }
  const double* end() const { return at + count; }

  double at[9];
  int count = 0;
};

/// The interval of `value` rounded to `type`: floats to nearest even (f8 and 16-bit ones by way of
/// f32), integers modulo 2^bits. What is beyond the largest number of a type without infinity is
/// NaN.
Interval rounded(instruction::ElementType type, Interval value);

/// Every step rounds as the kernel's does, so inputs without width give the one right result. Where
/// a comparison is not decided by the bounds, both outcomes count. Without steps: the first input.
Interval evaluate(const plan::Expression& expression, const std::vector<Interval>& inputs);

}  // namespace heddle::runtime
