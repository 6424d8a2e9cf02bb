// A tensor or memref at one point of the text: the formula of its elements, and the coordinates
// that make up its dimensions.
//
// A dimension is one coordinate, or several if a reshape joined them. Example: after
// tensor.collapse_shape of 4x8 to 32, the dimension of 32 consists of two coordinates, with the
// sizes (parts) 4 and 8, and the formula is unchanged. If an operation needs the parts 4 and 8 of a
// dimension that is one coordinate of size 32, this coordinate is split into two. So every index
// into a function argument stays a linear function of coordinates.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/reader/element.h"

namespace heddle::compiler {

/// The sizes of the coordinates that make up a dimension or a loop, the outermost first. A
/// dimension of size 1 may have none. -1: unknown.
using Parts = std::vector<std::int64_t>;

/// The product of the parts; -1 if a part is unknown.
std::int64_t size_of(const Parts& parts);

/// The common refinement of `x` and `y`, with as few parts as possible. Precondition: `x` and `y`
/// have the same product, if both products are known. Null if there is none. Examples: 4x8 and 32
/// have 4x8; 4x8 and 8x4 have 4x2x4; 6x4 and 4x6 have none.
std::optional<Parts> common_parts(const Parts& x, const Parts& y);

/// A dimension consists of the coordinates `first`, first + 1, … with the sizes `parts`. Returns
/// the index into the dimension as a linear function of these coordinates.
Index joined(const Parts& parts, int first);

struct TensorFormula {
  Element element;          // not written: nothing wrote the tensor
  std::vector<Parts> dims;  // coordinates count through them in their order

  std::size_t coordinates() const;
  /// The first coordinate of dimension `dim`.
  int first(std::size_t dim) const;
  /// The same tensor with each dimension i split into the parts `parts`[i]. Precondition:
  /// `parts`[i] refines the parts that the dimension has, as the results of common_parts do.
  TensorFormula with_parts(const std::vector<Parts>& parts) const;
  /// The same tensor with as few coordinates for each dimension as its formula allows.
  TensorFormula merged() const;
  /// The values that all coordinates have at the element with the index dims[i] in each dimension
  /// i. Null if a dimension consists of several coordinates and its index is not 0.
  std::optional<std::vector<Index>> places(const std::vector<Index>& dims) const;
  /// The same elements with other dimensions: new dimension i consists of the coordinates dims[i]
  /// of this tensor. Each coordinate must occur once.
  TensorFormula with_dims(const std::vector<std::vector<int>>& dims) const;
};

/// A tensor of the sizes of `type` that nothing wrote; without dimensions for a scalar.
TensorFormula unwritten(mlir::Type type);

}  // namespace heddle::compiler
