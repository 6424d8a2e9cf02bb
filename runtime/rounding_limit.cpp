#include "runtime/rounding_limit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "runtime/interval.h"

namespace heddle::runtime {

double quantum(const std::vector<double>& values) {
  int least = std::numeric_limits<int>::max();
  for (double value : values) {
    if (value == 0) continue;
    if (!std::isfinite(value)) return 1;
    int exponent;
    const auto fraction = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    least = std::min(least, exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(fraction)));
  }
  return least == std::numeric_limits<int>::max() ? 1 : std::ldexp(1.0, least);
}

std::vector<double> norms(const std::vector<double>& values, std::int64_t count, std::int64_t size,
                          std::int64_t stride, std::int64_t step) {
  std::vector<double> squares(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t v = 0; v < count; ++v) {
      const double value = values[static_cast<std::size_t>(v * stride + i * step)];
      squares[static_cast<std::size_t>(v)] += value * value;
    }
  for (double& square : squares) square = std::sqrt(square);
  return squares;
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
