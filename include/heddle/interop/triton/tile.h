// How a small pattern becomes the layout of a whole tensor, as Triton's toLinearLayout does it.
//
// A layout describes a tile: what a warp's lanes and registers cover once. The tensor may be larger
// in a dimension, then the tile is repeated there, each repetition in further registers (or further
// offsets of shared memory); or smaller, then the bases that would lead outside become zero: lanes
// and registers hold copies. Several CTAs (blocks) share a tensor by the bases of a CGA layout,
// which count tiles of one CTA.
//
// Source: Triton 3.6.0, lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp
// (combineCtaCgaWithShape) and lib/Tools/LayoutUtils.cpp (ensureLayoutNotSmallerThan,
// ensureLayoutNotLargerThan).
#pragma once

#include <functional>
#include <utility>

#include "heddle/interop/triton/bases.h"
#include "heddle/layout/algebra.h"
#include "heddle/layout/axes.h"

namespace heddle::interop::triton {

/// The elements of the shape that one CTA holds: sizes divided by how many CTAs share a dimension.
/// Precondition: check_bases(cga, shape.size()).
inline Numbers shape_per_cta(const Numbers& shape, const Bases& cga) {
  Numbers part = reached({{"block", cga}}, shape.size());
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    part[dim] = std::max<std::int64_t>(1, shape[dim] / part[dim]);
  return part;
}

namespace detail {

/// Bits of the size of a dimension; the sizes stand in the order of the dimensions.
inline int wanted_bits(const layout::Axis& axis, const Numbers& shape) {
  const auto dim = static_cast<std::size_t>(axis.name.text()[3] - '0');
  return std::countr_zero(static_cast<std::uint64_t>(shape[dim]));
}

}  // namespace detail

/// The map repeated along each dimension that is smaller than the shape, dimension after dimension
/// in the order of the output axes; the repetitions are further bits of the first input axis.
inline layout::Expected<layout::LinearLayout> grown(const layout::LinearLayout& map,
                                                    const Numbers& shape) {
  layout::Expected<layout::LinearLayout> result = map;
  const layout::AxisName first = map.inputs()[0].name;
  for (const layout::Axis& axis : map.outputs()) {
    const int bits = detail::wanted_bits(axis, shape) - axis.bits;
    if (bits <= 0) continue;
    const auto more = layout::LinearLayout::identity(std::uint64_t{1} << bits, first, axis.name);
    result = layout::product(*result, *more);
    if (!result) return result;
  }
  return result;
}

/// What to do with a register whose basis leaves the shape.
enum class Outside : bool {
  copies,   // its basis becomes zero: the register holds a copy
  dropped,  // it is not there
};

/// The map into a shape that is smaller in some dimensions: the bases that lead furthest out become
/// zero there, one for each bit that the dimension loses.
inline layout::Expected<layout::LinearLayout> cut(const layout::LinearLayout& map,
                                                  const Numbers& shape,
                                                  Outside outside = Outside::copies) {
  const layout::AxisList& old = map.outputs();
  layout::LinearLayout::Bases bases{};
  std::vector<int> kept;
  std::uint64_t dropped = 0;
  for (int bit = 0; bit < map.input_bits(); ++bit)
    bases[static_cast<std::size_t>(bit)] = map.basis(bit);
  layout::AxisList outputs;
  for (int index = 0; index < old.size(); ++index) {
    const int wanted = std::min(old[index].bits, detail::wanted_bits(old[index], shape));
    std::vector<std::pair<std::uint64_t, int>> furthest;
    for (int bit = 0; bit < map.input_bits(); ++bit) {
      const std::uint64_t coordinate = old.coordinate(bases[static_cast<std::size_t>(bit)], index);
      if (coordinate != 0) furthest.push_back({coordinate, bit});
    }
    std::ranges::sort(furthest, std::greater<>{});
    for (std::size_t i = 0; i < furthest.size() && old[index].bits - static_cast<int>(i) > wanted;
         ++i) {
      const int bit = furthest[i].second;
      const bool is_register =
          map.inputs()[map.inputs().axis_of_bit(bit)].name == layout::AxisName("register");
      if (is_register && outside == Outside::dropped) dropped |= std::uint64_t{1} << bit;
      bases[static_cast<std::size_t>(bit)] &=
          ~(layout::low_bits(old[index].bits) << old.offset(index));
    }
    outputs.push_back({old[index].name, wanted});
  }
  // What is left of each basis, packed for the smaller axes.
  layout::LinearLayout::Bases packed{};
  layout::AxisList inputs;
  std::size_t next = 0;
  int bit = 0;
  for (const layout::Axis& axis : map.inputs()) {
    const std::size_t begin = next;
    for (const int end = bit + axis.bits; bit < end; ++bit) {
      if ((dropped >> bit & 1) != 0) continue;
      std::uint64_t word = 0;
      for (int index = 0; index < old.size(); ++index) {
        const std::uint64_t coordinate =
            old.coordinate(bases[static_cast<std::size_t>(bit)], index);
        if (coordinate != 0) word |= coordinate << outputs.offset(index);
      }
      packed[next++] = word;
    }
    inputs.push_back({axis.name, static_cast<int>(next - begin)});
  }
  return layout::LinearLayout::from_words(inputs, outputs, packed);
}

/// The layout of a tensor of that shape: the tile of one CTA repeated or cut to the CTA's part, and
/// then the CTAs as the last input axis, `block`; the output axes are dim0, dim1, …
/// Errors: a CGA layout of another rank, more than 64 bits.
inline Result<layout::LinearLayout> fill(const layout::LinearLayout& tile, const Bases& cga,
                                         const Numbers& shape) {
  if (const auto checked = check_shape(shape); !checked) return wrong(checked.error());
  const auto checked = check_bases("cga_layout", cga, shape.size());
  if (!checked) return wrong(checked.error());
  const std::vector<NamedBases> block{{"block", cga}};
  const auto whole = map_of(block, reached(block, shape.size()));
  if (!whole) return wrong(whole.error());
  auto map = cut(*whole, shape);
  const layout::LinearLayout blocks = map.value();
  Numbers part = shape;
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    part[dim] >>= blocks.outputs().bits_of(dimension(dim));
  map = grown(tile, part);
  if (map) map = cut(*map, part);
  if (map) map = layout::product(*map, blocks);
  layout::NameList dims;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) dims.push_back(dimension(dim));
  if (map) map = layout::transpose_outputs(*map, dims);
  if (!map) return wrong(std::string(map.error().message().view()));
  return *map;
}

/// A tile, put together step by step: each step spreads one input axis along one dimension, above
/// what is there already. Errors are kept until the end.
class Tile {
 public:
  /// No elements yet. `inputs` are the input axes in their order, `dims` the dimensions in the
  /// order in which a larger tensor is filled with repetitions.
  Tile(const layout::NameList& inputs, const Numbers& dims) {
    layout::AxisList in;
    layout::AxisList out;
    for (const layout::AxisName& name : inputs) in.push_back({name, 0});
    for (const std::int64_t dim : dims)
      out.push_back({dimension(static_cast<std::size_t>(dim)), 0});
    map_ = layout::LinearLayout::from_words(in, out, {});
  }

  /// `size` consecutive values of the input go to consecutive coordinates of the dimension.
  /// A size of 0 or 1 adds nothing.
  Tile& spread(const layout::AxisName& input, std::int64_t size, std::int64_t dim) {
    return add(size, [&](std::uint64_t count) {
      return layout::LinearLayout::identity(count, input, dimension(static_cast<std::size_t>(dim)));
    });
  }

  /// `size` consecutive values of the input hold copies.
  Tile& copy(const layout::AxisName& input, std::int64_t size, std::int64_t dim) {
    return add(size, [&](std::uint64_t count) {
      return layout::LinearLayout::zeros(count, input, dimension(static_cast<std::size_t>(dim)));
    });
  }

  /// spread over all dimensions, the first of `order` fastest; `sizes` stand by dimension.
  Tile& spread_all(const layout::AxisName& input, const Numbers& sizes, const Numbers& order) {
    for (const std::int64_t dim : order) spread(input, sizes[static_cast<std::size_t>(dim)], dim);
    return *this;
  }

  /// spread over all dimensions but one, along which the input holds copies.
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
inline layout::NameList distributed_inputs() { return {"register", "lane", "warp"}; }

}  // namespace heddle::interop::triton
