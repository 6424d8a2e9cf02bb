#include "runtime/judge/tally.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/numbers/matrix.h"

namespace heddle::runtime {
namespace {

using instruction::ElementType;

// The share of its limit that an element uses. It is at most 1 if the element is right, that is, if
// the element lies in `range`. `reference` is the value that exact sums give.
double share_of_range(ElementType type, const Interval& found, const Interval& range,
                      double reference) {
  if (range.is_poison) return 0;
  const double value = found.low;
  if (std::isnan(value)) return range.has_nan() ? 0 : infinity;
  if (!range.has_numbers()) return infinity;
  if (range.low == range.high && value == range.low)
    return type != ElementType::i64 || found.integer == range.integer ? 0 : infinity;
  const double limit = value < reference ? reference - range.low : range.high - reference;
  const double error = std::abs(value - reference);
  if (range.low <= value && value <= range.high)
    return std::isfinite(limit) && limit > 0 ? std::min(error / limit, 1.0) : 0;
  return std::max(2.0, error / std::max(limit, 0x1p-149));
}

// True if a value is larger than another, or equal and of an earlier element. Threads share the
// rows as they happen to run, and the verdict must not depend on that.
bool is_ahead(double value, std::int64_t row, std::int64_t column, double other,
              std::int64_t other_row, std::int64_t other_column) {
  if (value != other) return value > other;
  return std::pair(row, column) < std::pair(other_row, other_column);
}

}  // namespace

Middle middle_of(const Interval& range) {
  if (range.low == range.high && !range.has_nan()) return {range.low, 0};
  if (!range.has_numbers()) return {range.low, 0};
  const double at = range.low / 2 + range.high / 2;
  if (range.has_nan() || !std::isfinite(at)) return {std::isfinite(at) ? at : 0, infinity};
  return {at, std::max(range.high - at, at - range.low)};
}

void Tally::judge(const Element& element) {
  const auto& [type, found, range, without_width, is_rounded_sum, is_exact, row, column] = element;
  ++verdict.elements;
  verdict.poison += range.is_poison;
  if (range.is_poison) return;
  const double value = found.low;
  const double reference =
      without_width.has_numbers() && !without_width.has_nan()
          ? std::clamp(middle_of(without_width).at, without_width.low, without_width.high)
          : without_width.low;
  double share = share_of_range(type, found, range, reference);
  if (is_rounded_sum && share <= 1 && value == rounded(type, reference)) share = 0;
  verdict.exact += is_exact;
  verdict.wrong += share > 1;
  // Two kinds of right elements have no distance from a reference, so they count as unlimited: NaN
  // in place of a number, and elements whose reference may be infinite even without rounding.
  const bool is_known = without_width.low == without_width.high ||
                        (std::isfinite(without_width.low) && std::isfinite(without_width.high));
  if (share <= 1 && !std::isnan(reference) && (std::isnan(value) || !is_known))
    survey.add(number_type(type), value, reference, -infinity, infinity);
  else
    survey.add(number_type(type), value, reference, range.low, range.high);
  const double error = std::abs(value - reference);
  if (share <= 1 && !std::isfinite(error)) {
    verdict.not_finite += !std::isfinite(value);
    return;
  }
  if (std::isfinite(error) &&
      is_ahead(error, row, column, verdict.largest_error, verdict.largest_row,
               verdict.largest_column)) {
    verdict.largest_error = error;
    verdict.largest_row = row;
    verdict.largest_column = column;
  }
  if (!is_ahead(share, row, column, worst_share, verdict.worst_row, verdict.worst_column)) return;
  worst_share = share;
  verdict.worst_row = row;
  verdict.worst_column = column;
  verdict.worst_value = value;
  verdict.worst_reference = reference;
  verdict.worst_allowed = limit_of(number_type(type), reference, range.low, range.high);
}

void Tally::merge(const Tally& other) {
  const MatmulCheck mine = verdict;
  LimitSurvey all = survey;
  all.merge(other.survey);
  if (is_ahead(other.worst_share, other.verdict.worst_row, other.verdict.worst_column, worst_share,
               verdict.worst_row, verdict.worst_column))
    *this = other;
  verdict.elements = mine.elements + other.verdict.elements;
  verdict.wrong = mine.wrong + other.verdict.wrong;
  verdict.exact = mine.exact + other.verdict.exact;
  verdict.not_finite = mine.not_finite + other.verdict.not_finite;
  verdict.poison = mine.poison + other.verdict.poison;
  const bool is_mine = !is_ahead(other.verdict.largest_error, other.verdict.largest_row,
                                 other.verdict.largest_column, mine.largest_error,
                                 mine.largest_row, mine.largest_column);
  const MatmulCheck& far = is_mine ? mine : other.verdict;
  verdict.largest_error = far.largest_error;
  verdict.largest_row = far.largest_row;
  verdict.largest_column = far.largest_column;
  survey = all;
}

MatmulCheck Tally::finished() const {
  MatmulCheck all = verdict;
  all.spread = survey.spread();
  all.widest_limit = survey.widest();
  all.unjudged = survey.too_wide();
  return all;
}

}  // namespace heddle::runtime
