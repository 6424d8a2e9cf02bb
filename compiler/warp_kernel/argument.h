// The arguments of a warp-level function in the form that its caller needs: where each memref's
// elements lie.
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
/// the kernel's pointer. A number that the function's type leaves open (`?`) is empty here until it
/// is bound.
struct WarpArgument {
  std::string name;
  bool is_memref = true;
  bool is_shared = false;  // shared memory (LDS): the kernel brings it there and back
  runtime::NumberType element = runtime::NumberType::f32;
  std::optional<std::int64_t> offset;
  std::vector<std::optional<std::int64_t>> sizes, strides;
  std::optional<std::int64_t> index;  // of an index argument: its value
  unsigned line = 0, column = 0;      // in the text, from 1

  /// Gives each open number its plain value: sizes are `open_size`, strides are those of a
  /// row-major array without gaps, and offset and index are 0.
  void bind(std::int64_t open_size);

  /// Elements from the pointer to the end of the last element, at most 2^59. Precondition: all is
  /// bound.
  std::int64_t span() const;
};

}  // namespace heddle::compiler
