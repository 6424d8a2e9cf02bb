// How a small pattern becomes the layout of a whole tensor, as in Triton's toLinearLayout.
//
// A layout describes a tile: the elements that a warp's lanes and registers cover once. If the
// tensor is larger than the tile in a dimension, the tile is repeated in further registers (or in
// further offsets of shared memory). If the tensor is smaller, the bases that would lead outside
// become zero: these lanes and registers hold copies. If several CTAs (blocks) share a tensor, the
// bases of a CGA layout say how, in units of one CTA's tile.
//
// Source: Triton 3.6.0, lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp
// (combineCtaCgaWithShape) and lib/Tools/LayoutUtils.cpp (ensureLayoutNotSmallerThan,
// ensureLayoutNotLargerThan).
//
//     Tile(distributed_inputs(), {1, 0})        no elements yet; a larger tensor grows along dim1
//         .spread("register", 4, 1)             4 consecutive elements of dim1 in registers
//         .spread("lane", 32, 0)                a row for each lane
//         .fill({}, {64, 8})                    repeated to 64 x 8, in register bits
#pragma once

#include "heddle/interop/triton/bases.h"
#include "heddle/layout/algebra.h"
#include "heddle/layout/axes.h"

namespace heddle::interop::triton {

/// The shape of the part of a tensor that one CTA holds: each size divided by the number of CTAs
/// that share the dimension. Precondition: check_bases(cga, shape.size()).
Numbers shape_per_cta(const Numbers& shape, const Bases& cga);

/// The map, repeated along each dimension in which it is smaller than the shape, in the order of
/// the output axes. The repetitions become further bits of the first input axis.
layout::Expected<layout::LinearLayout> grown(const layout::LinearLayout& map, const Numbers& shape);

/// What becomes of a register bit whose basis leads outside of the shape.
enum class Outside : bool {
  copies,   // its basis becomes zero: the register holds a copy
  dropped,  // it is not there
};

/// The map, reduced to a shape that is smaller in some dimensions. A smaller dimension loses its
/// highest bits. For each lost bit, the basis with the largest coordinate in this dimension loses
/// that coordinate: it becomes zero.
layout::Expected<layout::LinearLayout> cut(const layout::LinearLayout& map, const Numbers& shape,
                                           Outside outside = Outside::copies);

/// The layout of a tensor of this shape: the tile of one CTA, repeated or reduced to the CTA's
/// part, and the CTAs as the last input axis, `block`. The output axes are dim0, dim1, … Errors: a
/// CGA layout of another rank, more than 64 bits.
Result<layout::LinearLayout> fill(const layout::LinearLayout& tile, const Bases& cga,
                                  const Numbers& shape);

/// A tile that is built step by step. Each step distributes an input axis along one dimension: it
/// adds bits to the input axis and to the dimension, above the bits that they have already. An
/// error is kept until fill().
class Tile {
 public:
  /// A tile without elements. `inputs` are the input axes in their order. `dims` are the
  /// dimensions, in the order in which the tile is repeated for a larger tensor.
  Tile(const layout::NameList& inputs, const Numbers& dims) {
    layout::AxisList in;
    layout::AxisList out;
    for (const layout::AxisName& name : inputs) in.push_back({name, 0});
    for (const std::int64_t dim : dims)
      out.push_back({dimension(static_cast<std::size_t>(dim)), 0});
    map_ = layout::LinearLayout::from_words(in, out, {});
  }

  /// Maps `size` further values of the input to consecutive coordinates of the dimension. A size of
  /// 0 or 1 adds nothing.
  Tile& spread(const layout::AxisName& input, std::int64_t size, std::int64_t dim) {
    return add(size, [&](std::uint64_t count) {
      return layout::LinearLayout::identity(count, input, dimension(static_cast<std::size_t>(dim)));
    });
  }

  /// Adds `size` values of the input that hold copies.
  Tile& copy(const layout::AxisName& input, std::int64_t size, std::int64_t dim) {
    return add(size, [&](std::uint64_t count) {
      return layout::LinearLayout::zeros(count, input, dimension(static_cast<std::size_t>(dim)));
    });
  }

  /// Calls spread() for all dimensions, the first of `order` fastest. `sizes` are indexed by
  /// dimension.
  Tile& spread_all(const layout::AxisName& input, const Numbers& sizes, const Numbers& order) {
    for (const std::int64_t dim : order) spread(input, sizes[static_cast<std::size_t>(dim)], dim);
    return *this;
  }

  /// Like spread_all(), except that along dimension `copied` the input holds copies.
  Tile& spread_but(const layout::AxisName& input, const Numbers& sizes, const Numbers& order,
                   std::int64_t copied) {
    for (const std::int64_t dim : order) {
      const std::int64_t size = sizes[static_cast<std::size_t>(dim)];
      dim == copied ? copy(input, size, dim) : spread(input, size, dim);
    }
    return *this;
  }

  /// fill() with this tile.
  Result<layout::LinearLayout> fill(const Bases& cga, const Numbers& shape) const {
    if (!map_) return wrong(std::string(map_.error().message().view()));
    return triton::fill(*map_, cga, shape);
  }

 private:
  template <class Part>
  Tile& add(std::int64_t size, const Part& part) {
    if (size <= 1 || !map_) return *this;
    const auto more = part(static_cast<std::uint64_t>(size));
    map_ = more ? layout::product(*map_, *more) : more;
    return *this;
  }

  layout::Expected<layout::LinearLayout> map_;
};

/// The input axes of a distributed layout.
layout::NameList distributed_inputs();

}  // namespace heddle::interop::triton
