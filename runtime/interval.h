// What an elementwise expression may give when its inputs are known within bounds.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "heddle/plan/expression.h"

namespace heddle::runtime {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// All numbers from `low` to `high`; NaN in both: any number is NaN. From -infinity to infinity:
/// any number, and NaN.
struct Interval {
  double low = 0;
  double high = 0;
  /// The number itself where that is an i64 and has no width: the others may round it.
  std::int64_t integer = 0;
};

/// An i64.
constexpr Interval whole_number(std::int64_t integer) {
  return {static_cast<double>(integer), static_cast<double>(integer), integer};
}

/// The interval of `value` rounded to `type`: floats to nearest even (f8 and 16-bit ones by way of
/// f32), integers modulo 2^bits.
Interval rounded(instruction::ElementType type, Interval value);

/// Every step rounds as the kernel's does, so inputs without width give the one right result. Where
/// a comparison is not decided by the bounds, both outcomes count. Without steps: the first input.
Interval evaluate(const plan::Expression& expression, const std::vector<Interval>& inputs);

}  // namespace heddle::runtime
