// Gluon's PaddedSharedLayout: a linear order of a tile's elements in shared memory, and free
// elements after every so many of them.
//
//   PaddedSharedLayout layout{{{2, 1}, {4, 2}}, {{1}, {2}, {4}}, {}, {8}};
//   e0 e1 p0 e2 e3 p1 p2 p3 e4 e5 p4 e6 e7        one free after every 2, two more after every 4
//   layout.physical_offset(4) == 8, layout.padded_size() == 13: no padding behind the last element
//
// Source: Triton's documentation of triton.experimental.gluon.language.PaddedSharedLayout, and
// Triton 3.6.0, python/triton/experimental/gluon/language/_layouts.py, where the third field is
// still called block_bases.
#pragma once

#include <algorithm>

#include "heddle/interop/triton/tile.h"
#include "heddle/layout/solve.h"
#include "heddle/memory/shared_layout.h"

namespace heddle::interop::triton {

struct PaddedSharedLayout {
  Bases
      interval_padding_pairs;  // [interval, padding], both powers of two, in elements; they add up
  Bases offset_bases;          // offset without padding -> element of a CTA's part
  Bases cga_layout;            // block -> which part, counted in parts; empty: one CTA
  Numbers shape;

  std::size_t rank() const { return shape.size(); }

  /// The checks of Triton's verify() and constructor, in its order and words where it has some.
  Result<void> verify() const {
    for (const auto* bases : {&offset_bases, &cga_layout}) {
      const auto name = bases == &offset_bases ? "offset_bases" : "cga_layout";
      if (const auto checked = check_bases(name, *bases, rank()); !checked) return checked;
    }
    if (interval_padding_pairs.empty())
      return wrong(
          "PaddedSharedLayout interval_padding_pairs must have at least one interval-padding pair");
    for (const Numbers& pair : interval_padding_pairs) {
      if (pair.size() != 2)
        return wrong("PaddedSharedLayout interval_padding_pairs has " + list_text(pair) +
                     ", which is no pair; write [interval, padding]");
    }
    for (auto pair = interval_padding_pairs.begin(); pair != interval_padding_pairs.end(); ++pair) {
      const auto same = [&](const Numbers& other) { return other[0] == (*pair)[0]; };
      if (std::any_of(interval_padding_pairs.begin(), pair, same))
        return wrong("PaddedSharedLayout interval " + std::to_string((*pair)[0]) +
                     " is there twice; give each interval one padding, the sum of the two");
    }
    for (const Numbers& pair : interval_padding_pairs) {
      if (!is_power_of_two(pair[0]))
        return wrong("PaddedSharedLayout interval values must all be power of two");
    }
    for (const Numbers& pair : interval_padding_pairs) {
      if (!is_power_of_two(pair[1]))
        return wrong("PaddedSharedLayout padding values must all be power of two");
    }
    if (shape.empty()) return wrong("PaddedSharedLayout order must not be empty");
    return {};
  }

  /// The layout with the elements of the shape one after the other, the first dimension of `order`
  /// fastest. Errors: an order that is no permutation of the dimensions, a size that is no power of
  /// two, CTAs that do not divide the shape, and those of verify().
  static Result<PaddedSharedLayout> with_identity_for(const Bases& interval_padding_pairs,
                                                      const Numbers& shape, const Numbers& order,
                                                      const Bases& cga_layout = {}) {
    if (shape.empty()) {
      PaddedSharedLayout none{interval_padding_pairs, {}, cga_layout, shape};
      return wrong(none.verify().error());
    }
    if (!is_permutation_of(order, shape.size()))
      return wrong("PaddedSharedLayout order " + list_text(order) +
                   " must name each dimension of the shape " + list_text(shape) + " once");
    if (const auto checked = check_shape(shape); !checked) return wrong(checked.error());
    const auto checked = check_bases("cga_layout", cga_layout, shape.size());
    if (!checked) return wrong(checked.error());
    const Numbers ctas = reached({{"block", cga_layout}}, shape.size());
    PaddedSharedLayout layout{interval_padding_pairs, {}, cga_layout, shape};
    for (const std::int64_t dim : order) {
      const auto index = static_cast<std::size_t>(dim);
      if (ctas[index] > shape[index])
        return wrong("Shape " + list_text(shape) + " is not divisible by CGA layout " +
                     list_text(cga_layout));
      for (std::int64_t step = 1; step < shape[index] / ctas[index]; step *= 2) {
        Numbers basis(shape.size(), 0);
        basis[index] = step;
        layout.offset_bases.push_back(basis);
      }
    }
    if (const auto verified = layout.verify(); !verified) return wrong(verified.error());
    return layout;
  }

  std::string mangle() const {
    return "PaddedShared_" + list_text(interval_padding_pairs) + "_" + list_text(offset_bases) +
           "_" + list_text(cga_layout) + "_" + list_text(shape) + "_PaddedShared";
  }

  /// How Gluon prints the layout's type.
  std::string type() const {
    return "constexpr_type[PaddedSharedLayout(interval_padding_pairs=" +
           list_text(interval_padding_pairs) + ", offset_bases=" + list_text(offset_bases) +
           ", cga_layout=" + list_text(cga_layout) + ", shape=" + list_text(shape) + ")]";
  }

  /// Elements before the one at `offset`, padding included. Precondition: verify().
  std::uint64_t physical_offset(std::uint64_t offset) const {
    std::uint64_t place = offset;
    for (const Numbers& pair : interval_padding_pairs)
      place += offset / static_cast<std::uint64_t>(pair[0]) * static_cast<std::uint64_t>(pair[1]);
    return place;
  }

  /// Elements of one CTA's part with the padding between them, without any behind the last.
  std::uint64_t padded_size() const {
    return physical_offset((std::uint64_t{1} << offset_bases.size()) - 1) + 1;
  }

  Numbers tile() const { return shape; }

  /// (offset[, block]) -> (dim0, dim1, …) and the padding.
  /// Errors: those of verify(), bases that are no one-to-one map onto the shape (Triton takes them
  /// in Python and refuses or misreads them later), more than eight paddings.
  Result<memory::SharedLayout> to_shared() const {
    if (const auto checked = verify(); !checked) return wrong(checked.error());
    if (const auto checked = check_shape(shape); !checked) return wrong(checked.error());
    const auto part =
        map_of({{"offset", offset_bases}}, reached({{"offset", offset_bases}}, rank()));
    if (!part) return wrong(part.error());
    const std::vector<NamedBases> block{{"block", cga_layout}};
    const auto blocks = map_of(block, reached(block, rank()));
    if (!blocks) return wrong(blocks.error());
    const auto map = layout::product(*part, *blocks);
    if (!map) return wrong(std::string(map.error().message().view()));
    if (shape_of(*map) != shape)
      return wrong("the bases reach the shape " + list_text(shape_of(*map)) +
                   "; the layout's shape is " + list_text(shape));
    if (!layout::is_injective(*map) || !layout::is_surjective(*map))
      return wrong(
          "Broadcasting is not supported: the bases must reach each element of the shape " +
          list_text(shape) + " once");
    if (interval_padding_pairs.size() > memory::PaddingList::most)
      return wrong("the layout has " + std::to_string(interval_padding_pairs.size()) +
                   " paddings; at most " + std::to_string(memory::PaddingList::most) +
                   " are supported");
    memory::SharedLayout shared{without_empty_block(*map), {}};
    for (const Numbers& pair : interval_padding_pairs)
      shared.padding.push_back(
          {static_cast<std::uint64_t>(pair[0]), static_cast<std::uint64_t>(pair[1])});
    return shared;
  }

  /// A layout of shared memory has the axis `block` only where several CTAs share the tensor.
  static layout::LinearLayout without_empty_block(const layout::LinearLayout& map) {
    if (!map.inputs().contains("block") || map.inputs().bits_of("block") > 0) return map;
    return layout::sublayout(map, {"offset"}, layout::names_of(map.outputs())).value();
  }
};

}  // namespace heddle::interop::triton
