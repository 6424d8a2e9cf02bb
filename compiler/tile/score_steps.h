// Rewrites the formula of a score for a kernel that computes a whole tile of scores: with fewer
// instructions, and with a tanh in the formula made a separate formula, because a thread computes
// the tanh of all its elements together.
#pragma once

#include <vector>

#include "compiler/decisions/score_formula.h"

namespace heddle::compiler {

/// A sum of indices converted to f32, times a factor.
struct PlaceNumber {
  PlaceSum sum;
  float factor = 1;
  friend bool operator==(const PlaceNumber&, const PlaceNumber&) = default;
};

struct ScoreSteps {
  /// The formula of the score. Its inputs are those of the original formula, then `numbers`, then
  /// the value of the separate tanh.
  Expression score;
  /// The formula of the argument of the separate tanh. Its inputs are those of `score` without the
  /// tanh. It has no steps if there is no separate tanh.
  Expression tanh_of;
  /// The sums of indices that `score` reads as inputs. Between keys that differ by a constant, such
  /// a sum differs by a constant too, so one conversion to f32 is enough for many keys.
  std::vector<PlaceNumber> numbers;
};

/// Rewrites `expression`, a formula of `formula` in which the softmax reads elements of `extras`
/// further matrices. If `takes_tanh` and the expression contains exactly one tanh, which is not
/// part of 1 + tanh(x), the tanh becomes a separate formula.
ScoreSteps score_steps(const ScoreFormula& formula, const Expression& expression,
                       std::size_t extras, bool takes_tanh);

}  // namespace heddle::compiler
