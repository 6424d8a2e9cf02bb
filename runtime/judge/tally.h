// Collects the verdict on the elements of a result one by one: how many are wrong, and which is the
// worst.
#pragma once

#include <cstdint>

#include "heddle/instruction/element_type.h"
#include "runtime/judge/matmul_check.h"
#include "runtime/judge/rounding_limit.h"
#include "runtime/numbers/interval.h"

namespace heddle::runtime {

/// The middle of a range, and the distance of the ends of the range from the middle; infinite if
/// the range has numbers and may be NaN, too. If the ends are neighbours in float64, there is no
/// number between them: `at` is then one end, and `distance` the whole step to the other end.
struct Middle {
  double at, distance;
};
Middle middle_of(const Interval& range);

struct Tally {
  MatmulCheck verdict;
  LimitSurvey survey;
  double worst_share = -1;  // how near the worst element comes to its limit

  /// An element of a result of `type`. Any number of `range` is right for it; `without_width` is
  /// what exact arithmetic gives.
  struct Element {
    instruction::ElementType type{};
    Interval found, range, without_width;
    bool is_rounded_sum = false;  // no step comes after the sum but its rounding
    bool is_exact = false;        // one number alone is right
    std::int64_t row = 0, column = 0;
  };
  void judge(const Element& element);
  void merge(const Tally& other);
  /// The verdict on all elements together.
  MatmulCheck finished() const;
};

}  // namespace heddle::runtime
