// Bounds the distance of an f32 sum of products from its float64 reference.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/numbers/number.h"

namespace heddle::runtime {

/// The largest power of two that divides every finite element; 1 if all of them are zero.
double quantum(const std::vector<double>& values);

/// The 2-norms of `count` vectors: element i of vector v is values[v * stride + i * step].
std::vector<double> norms(const std::vector<double>& values, std::int64_t count, std::int64_t size,
                          std::int64_t stride, std::int64_t step);

/// The largest magnitudes of such vectors.
std::vector<double> largest(const std::vector<double>& values, std::int64_t count,
                            std::int64_t size, std::int64_t stride, std::int64_t step);

/// The share of its limit that `value` uses. It is at most 1 if the value is right, that is, if
/// some x with |x - reference| <= allowed rounds to it in `type`. It is infinite for a value that
/// no limit allows.
double share_of_limit(NumberType type, double value, double reference, double allowed);

/// The distance from the reference to the furthest finite number between `low` and `high`; 0 if the
/// reference is not finite.
double limit_of(NumberType type, double reference, double low, double high);

/// The distance from the reference to the furthest right value: `allowed`, plus the rounding to
/// `type`; 0 if the reference is not finite.
double limit_of(NumberType type, double reference, double allowed);

/// Finds limits that are too wide to judge anything. It compares the limits of the elements with
/// how much the references of the elements differ from each other. If a limit is wider than these
/// differences, even a wrong kernel would pass, such as one that writes the same number everywhere.
class LimitSurvey {
 public:
  /// Adds an element whose value is `value`; any number from `low` to `high` would be right.
  /// Elements that must be NaN are not counted. An element within 4 units in the last place of the
  /// reference counts as judged, unless any number would be right.
  void add(NumberType type, double value, double reference, double low, double high);
  void merge(const LimitSurvey& other);

  /// The standard deviation of the finite references; their magnitude if they are all equal.
  double spread() const;
  /// The number of elements whose limit is at least as wide as the spread (within a factor of 2). A
  /// function with a pole makes some such limits; these elements are reported as not judged. If
  /// more than one element in 64 is not judged, the result does not count as right.
  std::int64_t too_wide() const;
  static bool are_few(std::int64_t too_wide, std::int64_t elements) {
    return too_wide * 64 <= elements;
  }
  /// The largest limit; infinite if any number would be right.
  double widest() const { return widest_; }

 private:
  // The number of limits for each binary exponent, beginning at that of the smallest float64
  // number.
  static constexpr int least_exponent = -1075;
  std::array<std::int64_t, 2101> limits_{};
  std::int64_t unbounded_ = 0, count_ = 0;
  double mean_ = 0, squares_ = 0, widest_ = 0;  // squares of the distances from the mean
};

}  // namespace heddle::runtime
