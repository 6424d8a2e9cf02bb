// Renumbers the dynamic sizes of a request.
#pragma once

#include <array>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// A renumbering of dynamic sizes: size i (a plan::Loop or a further size) becomes size map[i].
using SizeMap = std::array<unsigned, plan::size_count>;

/// Each size in its own place.
constexpr SizeMap same_sizes() {
  SizeMap map{};
  for (unsigned size = 0; size < plan::size_count; ++size) map[size] = size;
  return map;
}

/// The set `sizes` (a bit for each size) with every size in it renumbered.
unsigned renamed(unsigned sizes, const SizeMap& map);

/// Renumbers the sizes in every stride and length of the argument.
void rename_sizes(Axis& axis, const SizeMap& map);
void rename_sizes(MatrixRecord& matrix, const SizeMap& map);
void rename_sizes(BufferRecord& buffer, const SizeMap& map);

}  // namespace heddle::compiler
