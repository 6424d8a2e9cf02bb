// Describes the arguments of a warp-level function for whoever launches its kernel: where in memory
// the elements of each memref are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/numbers/number.h"

namespace heddle::compiler {

/// One argument of a warp-level function: a memref, or an index.
///
/// Element (i, j, …) of a memref lies `offset + i * strides[0] + j * strides[1] + …` elements after
/// the pointer that the kernel gets. Numbers that are dynamic (`?`) in the function's type have no
/// value here until bind() gives them one.
struct WarpArgument {
  std::string name;
  bool is_memref = true;
  bool is_shared = false;  // shared memory (LDS): the kernel brings it there and back
  runtime::NumberType element = runtime::NumberType::f32;
  std::optional<std::int64_t> offset;
  std::vector<std::optional<std::int64_t>> sizes, strides;
  std::optional<std::int64_t> index;  // of an index argument: its value
  unsigned line = 0, column = 0;      // in the text, from 1

  /// Gives each dynamic number its default value: sizes are `open_size`, strides are those of a
  /// contiguous row-major array, and offset and index are 0.
  void bind(std::int64_t open_size);

  /// The number of elements from the kernel's pointer to the end of the element with the largest
  /// offset, at most 2^59. Precondition: all numbers have values (see bind()).
  std::int64_t span() const;
};

}  // namespace heddle::compiler
