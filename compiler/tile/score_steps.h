// The formula of a score as a kernel computes it for a tile: in fewer instructions, and with its
// tanh apart, since those of all elements are computed together.
#pragma once

#include <vector>

#include "compiler/decisions/score_formula.h"

namespace heddle::compiler {

/// A sum of places as f32, times a factor.
struct PlaceNumber {
  PlaceSum sum;
  float factor = 1;
  friend bool operator==(const PlaceNumber&, const PlaceNumber&) = default;
};

struct ScoreSteps {
  /// The inputs are those of the formula, `numbers`, and the tanh.
  Expression score;
  /// What the tanh is taken of, from the same inputs without the tanh; without steps: there is
  /// none.
  Expression tanh_of;
  /// Keys differ by constants, so that one conversion does for many.
  std::vector<PlaceNumber> numbers;
};

/// The steps of one of the formula's expressions, to which the softmax adds `extras` elements.
/// `takes_tanh`: one that occurs once is taken apart.
ScoreSteps score_steps(const ScoreFormula& formula, const Expression& expression,
                       std::size_t extras, bool takes_tanh);

}  // namespace heddle::compiler
