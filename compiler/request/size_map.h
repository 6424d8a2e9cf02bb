// Other names for the sizes of a request that only a launch knows.
#pragma once

#include <array>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// For each size (a plan::Loop or a further size), the one that takes its place.
using SizeMap = std::array<unsigned, plan::size_count>;

/// Each size in its own place.
constexpr SizeMap same_sizes() {
  SizeMap map{};
  for (unsigned size = 0; size < plan::size_count; ++size) map[size] = size;
  return map;
}

/// The bits of sizes, in their new places.
unsigned renamed(unsigned sizes, const SizeMap& map);

/// What tells distances and lengths by sizes tells them by the new ones.
void rename_sizes(Axis& axis, const SizeMap& map);
void rename_sizes(MatrixRecord& matrix, const SizeMap& map);
void rename_sizes(BufferRecord& buffer, const SizeMap& map);

}  // namespace heddle::compiler
