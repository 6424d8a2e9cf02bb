#include "compiler/elements/any_order_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heddle::compiler {
namespace {

using instruction::ElementType;

// The number of significant bits of a type's numbers, including the leading bit.
int precision(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return 53;
    case ElementType::f16:
      return 11;
    case ElementType::bf16:
      return 8;
    default:
      return 24;
  }
}

int lowest_bit(double number) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(number), &exponent);
  return exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(std::ldexp(fraction, 53)));
}

}  // namespace

void AnyOrderSum::add(const runtime::Interval& term) {
  const bool is_first = count_++ == 0;
  low_ = is_first ? term.low : low_ + term.low;
  high_ = is_first ? term.high : high_ + term.high;
  magnitude_ += std::max(std::abs(term.low), std::abs(term.high));
  if (term.may_be_nan) magnitude_ = std::nan("");
  are_points_ = are_points_ && term.is_point();
  if (are_points_ && term.low != 0 && std::isfinite(term.low))
    lowest_ = std::min(lowest_, lowest_bit(term.low));
}

runtime::Interval AnyOrderSum::result(ElementType type) const {
  if (count_ == 1) return {low_, high_, 0, std::isnan(magnitude_)};
  if (std::isnan(low_) && std::isnan(high_)) return runtime::not_a_number();
  if (!std::isfinite(magnitude_)) {
    if (!std::isnan(magnitude_) && low_ == high_) return {low_, high_};
    return runtime::any_float();
  }
  if (are_points_ && magnitude_ <= std::ldexp(1.0, std::min(lowest_ + precision(type), 1000)))
    return {low_, high_};
  const double unit = std::ldexp(1.0, -precision(type)), steps = static_cast<double>(count_);
  if (steps * unit >= 0.5) return runtime::any_float();
  // The error bound of Higham, "Accuracy and Stability of Numerical Algorithms", 4.2. The term
  // 2^-52 is there because low_ and high_ are sums in float64 themselves.
  const double error = magnitude_ * steps * (unit + 0x1p-52) / (1 - steps * unit);
  return {low_ - error, high_ + error};
}

}  // namespace heddle::compiler
