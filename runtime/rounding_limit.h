// How far from its float64 reference a sum of products in f32 may be.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/number.h"

namespace heddle::runtime {

/// The largest power of two that divides every element; 1 if all are zero or one is not finite.
double quantum(const std::vector<double>& values);

/// The 2-norms of `count` vectors: element i of vector v is values[v * stride + i * step].
std::vector<double> norms(const std::vector<double>& values, std::int64_t count, std::int64_t size,
                          std::int64_t stride, std::int64_t step);

/// The largest magnitudes of the same.
std::vector<double> largest(const std::vector<double>& values, std::int64_t count,
                            std::int64_t size, std::int64_t stride, std::int64_t step);

/// How far `value` is from being right, which some x with |x - reference| <= allowed is when it
/// rounds to `type`: at most 1 if it is, infinite for what no limit excuses.
double share_of_limit(NumberType type, double value, double reference, double allowed);

/// How far from the reference the furthest right value is: `allowed`, and the rounding to `type`. 0
/// where the reference is not finite.
double limit_of(NumberType type, double reference, double allowed);

}  // namespace heddle::runtime
