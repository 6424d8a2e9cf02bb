// Finds arrays with strides in which several elements may lie at the same place in memory. Results
// cannot be written to such arrays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::compiler {

/// The number of elements along a dimension, and their distance.
struct ArrayDimension {
  std::int64_t size = 1, stride = 0;
};

inline constexpr std::string_view accepted_result_layout =
    "strides each larger than all that the smaller ones span, as row-major ones are";

/// False only if each stride is larger than the span of all dimensions with smaller strides. So the
/// result is also true for some arrays that are interleaved but have no common elements.
/// Precondition: strides are at least 0.
inline bool may_overlap(std::vector<ArrayDimension> dimensions) {
  std::erase_if(dimensions, [](const ArrayDimension& one) { return one.size <= 1; });
  std::ranges::sort(dimensions, {}, &ArrayDimension::stride);
  __int128 span = 0;
  for (const ArrayDimension& one : dimensions) {
    if (one.stride <= span) return true;
    span += static_cast<__int128>(one.size - 1) * one.stride;
  }
  return false;
}

}  // namespace heddle::compiler
