// A tensor as the reference of element kernels has it; see tensor_reference.h.
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

/// A tensor or, without dimensions, a number: elements in row-major order.
struct TensorValue {
  Coordinates shape;
  std::vector<runtime::Interval> elements;
  /// An argument, whose elements are read from memory where they are asked for: `elements` is
  /// empty. So a large table of which few are read takes no time.
  struct Stored {
    runtime::MatrixView view;
    bool is_i1 = false;
  };
  std::optional<Stored> stored = {};

  runtime::Interval element(std::size_t at) const;
  /// Reads all elements of an argument, before some are written.
  void read_all();

  /// The number of the element at these coordinates, unless one is outside of the shape.
  std::optional<std::size_t> position(const Coordinates& at) const;
};

}  // namespace heddle::compiler
