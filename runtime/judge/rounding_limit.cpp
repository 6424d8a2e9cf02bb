#include "runtime/judge/rounding_limit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "runtime/numbers/interval.h"

namespace heddle::runtime {

double quantum(const std::vector<double>& values) {
  int least = std::numeric_limits<int>::max();
  for (double value : values) {
    if (value == 0 || !std::isfinite(value)) continue;
    int exponent;
    const auto fraction = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    least = std::min(least, exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(fraction)));
  }
  return least == std::numeric_limits<int>::max() ? 1 : std::ldexp(1.0, least);
}

std::vector<double> norms(const std::vector<double>& values, std::int64_t count, std::int64_t size,
                          std::int64_t stride, std::int64_t step) {
  const auto sums = [&](std::vector<double> scales) {
    std::vector<double> squares(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < size; ++i)
      for (std::int64_t v = 0; v < count; ++v) {
        const double value = values[static_cast<std::size_t>(v * stride + i * step)];
        const double scaled = scales.empty() ? value : value / scales[static_cast<std::size_t>(v)];
        squares[static_cast<std::size_t>(v)] += scaled * scaled;
      }
    for (std::size_t v = 0; v < squares.size(); ++v)
      squares[v] = std::sqrt(squares[v]) * (scales.empty() ? 1 : scales[v]);
    return squares;
  };
  std::vector<double> found = sums({});
  // Squares may overflow or underflow in float64. If that may have happened, vectors are scaled.
  const auto is_doubtful = [](double norm) { return !(norm > 0x1p-500 && norm < infinity); };
  if (std::ranges::none_of(found, is_doubtful)) return found;
  std::vector<double> scales = largest(values, count, size, stride, step);
  for (double& scale : scales)
    if (!(scale > 0 && scale < infinity)) scale = 1;
  return sums(std::move(scales));
}

std::vector<double> largest(const std::vector<double>& values, std::int64_t count,
                            std::int64_t size, std::int64_t stride, std::int64_t step) {
  std::vector<double> magnitudes(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t v = 0; v < count; ++v) {
      double& magnitude = magnitudes[static_cast<std::size_t>(v)];
      magnitude =
          std::max(magnitude, std::abs(values[static_cast<std::size_t>(v * stride + i * step)]));
    }
  return magnitudes;
}

double limit_of(NumberType type, double reference, double low, double high) {
  if (!std::isfinite(reference)) return 0;
  // If an interval of floats reaches infinity, its furthest finite number is the largest float.
  const double most = is_float(type) ? largest_finite(type) : infinity;
  return std::max({std::min(high, most) - reference, reference - std::max(low, -most), 0.0});
}

void LimitSurvey::add(NumberType type, double value, double reference, double low, double high) {
  if (std::isnan(low)) return;
  if (low == -infinity && high == infinity) {
    ++unbounded_;
    widest_ = infinity;
  }
  if (!std::isfinite(reference)) return;
  ++count_;
  const double distance = reference - mean_;
  mean_ += distance / static_cast<double>(count_);
  squares_ += distance * (reference - mean_);
  const double limit = limit_of(type, reference, low, high);
  if (!(limit > 0 && limit < infinity)) return;
  const int precision = is_float(type) ? row(type).precision : 1;
  // A function may give 0 for a result below the normal numbers of f32; that error is small, too.
  const double least_normal = type == NumberType::f64 ? 0x1p-1022 : 0x1p-126;
  const double unit =
      std::ldexp(1.0, std::ilogb(reference == 0 ? 0x1p-1000 : reference) - precision + 1);
  const double few_units = is_float(type) ? std::max(4 * unit, 64 * least_normal) : 4;
  if (limit <= few_units || std::abs(value - reference) <= few_units) return;
  widest_ = std::max(widest_, limit);
  ++limits_[static_cast<std::size_t>(std::ilogb(limit) - least_exponent)];
}

void LimitSurvey::merge(const LimitSurvey& other) {
  for (std::size_t i = 0; i < limits_.size(); ++i) limits_[i] += other.limits_[i];
  unbounded_ += other.unbounded_;
  widest_ = std::max(widest_, other.widest_);
  const std::int64_t count = count_ + other.count_;
  if (count == 0) return;
  const double part = static_cast<double>(other.count_) / static_cast<double>(count);
  const double distance = other.mean_ - mean_;
  mean_ += distance * part;
  squares_ += other.squares_ + distance * distance * part * static_cast<double>(count_);
  count_ = count;
}

double LimitSurvey::spread() const {
  if (count_ == 0) return 0;
  const double deviation = std::sqrt(squares_ / static_cast<double>(count_));
  return deviation > 0x1p-40 * std::abs(mean_) ? deviation : std::abs(mean_);
}

std::int64_t LimitSurvey::too_wide() const {
  const double bar = spread();
  const int first = bar > 0 && std::isfinite(bar) ? std::ilogb(bar) : least_exponent;
  std::int64_t count = unbounded_;
  for (std::size_t i = 0; i < limits_.size(); ++i)
    if (static_cast<int>(i) + least_exponent >= first) count += limits_[i];
  return count;
}

double limit_of(NumberType type, double reference, double allowed) {
  if (!std::isfinite(reference)) return 0;
  const double limit = std::max(rounded(type, reference + allowed) - reference,
                                reference - rounded(type, reference - allowed));
  return std::isfinite(limit) ? limit : allowed;
}

double share_of_limit(NumberType type, double value, double reference, double allowed) {
  if (std::isnan(reference)) return std::isnan(value) ? 0 : infinity;
  if (!std::isfinite(reference)) return value == reference ? 0 : infinity;
  if (std::isnan(value)) return infinity;
  const double low = rounded(type, reference - allowed);
  const double high = rounded(type, reference + allowed);
  if (value == rounded(type, reference)) return 0;
  if (low <= value && value <= high) {
    const double limit = std::max(high - reference, reference - low);
    return std::isfinite(limit) ? std::abs(value - reference) / limit : 1;
  }
  return std::max(2.0, std::abs(value - reference) / std::max(allowed, 0x1p-149));
}

}  // namespace heddle::runtime
