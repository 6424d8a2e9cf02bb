#include "runtime/judge/judgement.h"

#include <cmath>

#include "runtime/judge/rounding_limit.h"

namespace heddle::runtime {
namespace {

double allowed_error(NumberType type, double reference, double allowed,
                     std::optional<double> tolerance) {
  // Integers are computed exactly, and wrap.
  if (!is_float(type)) allowed = 0;
  return tolerance ? std::max(allowed, *tolerance * (1 + std::abs(reference))) : allowed;
}

}  // namespace

NumberType sums_of(NumberType result, std::optional<NumberType> said) {
  return said.value_or(result == NumberType::f64 ? NumberType::f64 : NumberType::f32);
}

bool is_right(NumberType type, double value, double reference, double allowed,
              std::optional<double> tolerance) {
  return share_of_limit(type, value, reference,
                        allowed_error(type, reference, allowed, tolerance)) <= 1;
}

Judgement judge(const Tensor& tensor, ElementValues elements, const std::vector<bool>& unwritten,
                const FormulaValue& reference, std::optional<double> tolerance,
                std::optional<NumberType> said) {
  const NumberType sums = sums_of(tensor.type, said);
  std::vector<double>& values = elements.values;
  const bool whole = !tolerance && !elements.integers.empty() && !reference.integers.empty();
  Judgement judgement;
  judgement.hides_a_term = is_float(tensor.type) && reference.hides_a_term(sums);
  judgement.sums = sums;
  judgement.result = tensor.name;
  judgement.type = tensor.type;
  judgement.size = {tensor.rows(), tensor.columns()};
  judgement.elements.resize(values.size());
  LimitSurvey survey;
  double worst_share = -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t from = reference.place_of(i);
    const double wanted = reference.values[from];
    const double allowed =
        allowed_error(tensor.type, wanted, reference.allowed(from, sums), tolerance);
    double share = share_of_limit(tensor.type, values[i], wanted, allowed);
    if (whole)
      share = elements.integers[i] == wrapped(tensor.type, reference.integers[from])
                  ? 0
                  : std::max(2.0, std::abs(values[i] - wanted));
    if (!whole && !std::isnan(wanted))
      survey.add(tensor.type, values[i],
                 is_float(tensor.type) ? wanted : rounded(tensor.type, wanted),
                 rounded(tensor.type, wanted - allowed), rounded(tensor.type, wanted + allowed));
    const bool missing = unwritten[i] && (is_float(tensor.type) || !(share <= 1));
    if (missing) share = 1.5;  // a missing element is NaN, so wrong by the most; others tell more
    judgement.exact += allowed == 0;
    judgement.unwritten += missing;
    judgement.reference_unwritten +=
        !reference.unwritten.empty() && reference.unwritten[from] && !(share <= 1);
    judgement.wrong += !missing && !(share <= 1);
    judgement.elements[i] = missing      ? Verdict::unwritten
                            : share <= 1 ? Verdict::right
                                         : Verdict::wrong;
    const double error = std::abs(values[i] - wanted);
    if (share <= 1 && !std::isfinite(error)) {
      judgement.not_finite += !std::isfinite(values[i]);
      continue;
    }
    if (std::isfinite(error)) judgement.largest_error = std::max(judgement.largest_error, error);
    if (share <= worst_share) continue;
    worst_share = share;
    judgement.worst_row = static_cast<std::int64_t>(i) / judgement.size.columns;
    judgement.worst_column = static_cast<std::int64_t>(i) % judgement.size.columns;
    judgement.worst_value = values[i];
    judgement.worst_reference = wanted;
    judgement.worst_allowed = limit_of(tensor.type, wanted, allowed);
    if (!whole) continue;
    judgement.worst_integer = elements.integers[i];
    judgement.worst_reference_integer = wrapped(tensor.type, reference.integers[from]);
  }
  judgement.unjudged = survey.too_wide();
  judgement.spread = survey.spread();
  judgement.widest_limit = survey.widest();
  judgement.values = std::move(values);
  return judgement;
}

}  // namespace heddle::runtime
