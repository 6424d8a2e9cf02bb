// The value of a tensor in the reference computation for element kernels (tensor_reference.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/judge/product_check.h"
#include "runtime/numbers/interval.h"

namespace heddle::compiler {

using Coordinates = std::vector<std::int64_t>;

/// How many elements a tensor of this shape has.
std::int64_t count_of(const Coordinates& shape);

/// A tensor, with its elements in row-major order. A number is a tensor without dimensions.
struct TensorValue {
  Coordinates shape;
  std::vector<runtime::Interval> elements;
  /// Set for an argument of the function. Its elements are read from memory only when they are
  /// needed, and `elements` is empty. So a large table of which only few elements are read costs no
  /// time.
  struct Stored {
    runtime::MatrixView view;
    bool is_i1 = false;
  };
  std::optional<Stored> stored = {};

  runtime::Interval element(std::size_t at) const;
  /// Reads all elements of an argument, before some are written.
  void read_all();

  /// The row-major index of the element at these coordinates; null if a coordinate is outside of
  /// the shape.
  std::optional<std::size_t> position(const Coordinates& at) const;
};

}  // namespace heddle::compiler
