// Judges whether an array has the elements that the launch file expects. Every element must lie
// within the rounding error that a computation in f32 can have, or within a stated tolerance;
// integers must be exact.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/judge/formula_value.h"
#include "runtime/judge/rounding_limit.h"

namespace heddle::runtime {

enum class Verdict : std::uint8_t { right, wrong, unwritten };

struct Judgement {
  std::string result;  // the array
  NumberType type = NumberType::f32;
  MatrixSize size;
  std::vector<double> values;
  std::vector<Verdict> elements;  // row-major

  NumberType sums = NumberType::f32;  // the type whose roundings give the limits
  std::int64_t wrong = 0, unwritten = 0;
  std::int64_t reference_unwritten = 0;  // wrong elements that no reference kernel wrote
  std::int64_t exact = 0;                // elements that had to be exact
  std::int64_t not_finite = 0;           // right elements that are infinite or NaN
  double largest_error = 0;
  std::int64_t unjudged = 0;            // elements whose limit is too wide to judge (LimitSurvey)
  double spread = 0, widest_limit = 0;  // how much the elements differ; the largest limit
  /// True if the limit of an error is as large as the mean product in a sum. Then a kernel could
  /// leave out one product, and the judge would not notice.
  bool hides_a_term = false;

  /// The element with the largest error beyond its limit. If all are right: the finite element that
  /// comes nearest to its limit.
  std::int64_t worst_row = 0, worst_column = 0;
  double worst_value = 0, worst_reference = 0, worst_allowed = 0;
  /// The bits of the worst element and of its reference; empty for floats, and if the reference was
  /// not computed in integers.
  std::optional<std::uint64_t> worst_integer, worst_reference_integer;

  bool right() const {
    return wrong == 0 && unwritten == 0 &&
           LimitSurvey::are_few(unjudged, static_cast<std::int64_t>(elements.size()));
  }
  /// True if no element is known to be wrong, but too many elements have limits that are too wide
  /// to judge them.
  bool is_not_judged() const { return wrong == 0 && unwritten == 0 && !right(); }
};

/// The type in which a kernel adds up sums for a result of this type: `said`, from the launch file,
/// or the usual one.
NumberType sums_of(NumberType result, std::optional<NumberType> said);

/// True if the value is right: either some x with |x - reference| <= allowed rounds to it in
/// `type`, or it is within `tolerance` (Expectation::tolerance).
bool is_right(NumberType type, double value, double reference, double allowed,
              std::optional<double> tolerance);

/// Judges every element. An unwritten element is right only if it is an integer whose expected bits
/// are all ones. Preconditions: `elements`, `unwritten` and `reference` have as many elements as
/// `tensor`, or the reference is one number for all.
Judgement judge(const Tensor& tensor, ElementValues elements, const std::vector<bool>& unwritten,
                const FormulaValue& reference, std::optional<double> tolerance,
                std::optional<NumberType> sums = {});

}  // namespace heddle::runtime
