// A tensor or memref at one point of the text: the formula of its elements, and its dimensions as
// coordinates of the formula.
//
// A dimension is one coordinate, or several if a reshape joined them. After tensor.collapse_shape
// of 4x8 to 32, the dimension of 32 has the parts 4 and 8, and the formula is unchanged. An
// operation that meets a dimension of 32 in one part splits it. So every place in a function
// argument stays a linear function of coordinates.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/reader/element.h"

namespace heddle::compiler {

/// The sizes of the coordinates of a dimension or a loop, the outermost first; none for a dimension
/// of size 1 that needs none. -1: not known.
using Parts = std::vector<std::int64_t>;

/// Their product; -1 if a part is not known.
std::int64_t size_of(const Parts& parts);

/// The coarsest parts that refine both `x` and `y`, which have one size; nothing if there are none.
/// 4x8 and 32 have 4x8; 4x8 and 8x4 have 4x2x4; 6x4 and 4x6 have none.
std::optional<Parts> common_parts(const Parts& x, const Parts& y);

/// The dimension whose coordinates are `first`, first + 1 …, of sizes `parts`.
Index joined(const Parts& parts, int first);

struct TensorFormula {
  Element element;          // not written: nothing wrote the tensor
  std::vector<Parts> dims;  // coordinates count through them in their order

  std::size_t coordinates() const;
  /// The first coordinate of dimension `dim`.
  int first(std::size_t dim) const;
  /// The same tensor with dimensions of these parts, each made of its own parts. `parts` come from
  /// common_parts.
  TensorFormula with_parts(const std::vector<Parts>& parts) const;
  /// The same tensor with as few parts a dimension as its formula allows.
  TensorFormula merged() const;
  /// The place of each coordinate if dimension i is at `dims[i]`. Nothing if one of several parts
  /// is at another place than 0.
  std::optional<std::vector<Index>> places(const std::vector<Index>& dims) const;
  /// The same tensor with these dimensions: coordinates of this one, each once.
  TensorFormula with_dims(const std::vector<std::vector<int>>& dims) const;
};

/// A tensor of the sizes of `type` that nothing wrote; without dimensions for a scalar.
TensorFormula unwritten(mlir::Type type);

}  // namespace heddle::compiler
