// The results that a number of a correct program may have: exactly one, or any number of an
// interval if the program leaves the order of a sum open.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::compiler {

/// `value` is the result of exact arithmetic, with the roundings that the program itself asks for.
/// A correct program may have any number in [low, high]. If all three are NaN, it must have NaN.
struct Interval {
  double value = 0, low = 0, high = 0;

  static constexpr Interval point(double value) { return {value, value, value}; }
  static constexpr Interval nan() { return point(std::numeric_limits<double>::quiet_NaN()); }

  bool is_point() const { return low == high || is_nan(); }
  bool is_nan() const { return std::isnan(value) || std::isnan(low) || std::isnan(high); }
  /// The largest magnitude in it.
  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
};

/// The interval of the results of `function` for arguments from the given intervals. `function`
/// must rise in each argument. (If it fell in all of them, `low` would be the upper end of the
/// results, and `high` the lower end.)
template <class Function>
Interval rising(const Function& function, Interval a) {
  if (a.is_nan()) return Interval::nan();
  return {function(a.value), function(a.low), function(a.high)};
}
template <class Function>
Interval rising(const Function& function, Interval a, Interval b) {
  if (a.is_nan() || b.is_nan()) return Interval::nan();
  return {function(a.value, b.value), function(a.low, b.low), function(a.high, b.high)};
}

inline Interval negative(Interval a) { return {-a.value, -a.high, -a.low}; }

/// The products of two intervals, without rounding.
inline Interval product(Interval a, Interval b) {
  if (a.is_nan() || b.is_nan()) return Interval::nan();
  const double value = a.value * b.value;
  if (a.is_point() && b.is_point()) return Interval::point(value);
  const double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  double low = value, high = value;
  for (const double corner : corners) {
    if (std::isnan(corner)) return Interval::nan();
    low = std::min(low, corner);
    high = std::max(high, corner);
  }
  return {value, low, high};
}

}  // namespace heddle::compiler
