// How far from its float64 reference a sum of products in f32 may be.
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

/// The largest magnitudes of the same.
std::vector<double> largest(const std::vector<double>& values, std::int64_t count,
                            std::int64_t size, std::int64_t stride, std::int64_t step);

/// How far `value` is from being right, which some x with |x - reference| <= allowed is when it
/// rounds to `type`: at most 1 if it is, infinite for what no limit excuses.
double share_of_limit(NumberType type, double value, double reference, double allowed);

/// How far from the reference the furthest number from `low` to `high` is, of those that are
/// finite; 0 where the reference is not finite.
double limit_of(double reference, double low, double high);

/// How far from the reference the furthest right value is: `allowed`, and the rounding to `type`. 0
/// where the reference is not finite.
double limit_of(NumberType type, double reference, double allowed);

/// The numbers that may be right for each element, next to how much the elements differ among
/// themselves. Where an element may be off by more than that, another kernel's numbers would be
/// right as well, such as one number for all elements: the limit says nothing.
class LimitSurvey {
 public:
  /// An element that is `value` and may be any number from `low` to `high`; one that has to be NaN
  /// says nothing about others. Within 4 units in the last place of its type no element is too far
  /// off, and none needs a limit.
  void add(NumberType type, double value, double reference, double low, double high);
  void merge(const LimitSurvey& other);

  /// The standard deviation of the finite references. Where they are all the same, their size.
  double spread() const;
  /// The elements that may be off by as much, to a factor of 2. A function that has a pole makes
  /// some, and they are said to be not judged; more than one in 64 leave nothing that is right.
  std::int64_t too_wide() const;
  static bool are_few(std::int64_t too_wide, std::int64_t elements) {
    return too_wide * 64 <= elements;
  }
  /// The largest limit; infinite where any number is right.
  double widest() const { return widest_; }

 private:
  // By the binary exponent of the limit, from that of the least float64 number.
  static constexpr int least_exponent = -1075;
  std::array<std::int64_t, 2101> limits_{};
  std::int64_t unbounded_ = 0, count_ = 0;
  double mean_ = 0, squares_ = 0, widest_ = 0;  // squares of the distances from the mean
};

}  // namespace heddle::runtime
