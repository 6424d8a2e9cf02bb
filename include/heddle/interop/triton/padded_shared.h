// Gluon's PaddedSharedLayout: a linear order of a tile's elements in shared memory, with unused
// elements (padding) at regular intervals.
//
//   PaddedSharedLayout layout{{{2, 1}, {4, 2}}, {{1}, {2}, {4}}, {}, {8}};
//   e0 e1 p0 e2 e3 p1 p2 p3 e4 e5 p4 e6 e7        one unused after every 2, two more after every 4
//   layout.physical_offset(4) == 8, layout.padded_size() == 13: no padding after the last element
//
// Source: Triton's documentation of triton.experimental.gluon.language.PaddedSharedLayout, and
// Triton 3.6.0, python/triton/experimental/gluon/language/_layouts.py, in which the third field is
// still called block_bases.
#pragma once

#include <cstdint>
#include <string>

#include "heddle/interop/triton/tile.h"
#include "heddle/layout/solve.h"
#include "heddle/memory/shared_layout.h"

namespace heddle::interop::triton {

/// Triton's text of this layout is #ttg.padded_shared<[2:+1, 4:+2] {…}>. Intervals and paddings are
/// numbers of elements, not bytes. Intervals do not count the padding.
struct PaddedSharedLayout {
  Bases
      interval_padding_pairs;  // [interval, padding], both powers of two, in elements; they add up
  Bases offset_bases;          // offset without padding -> element of a CTA's part
  Bases cga_layout;            // block -> which part, counted in parts; empty: one CTA
  Numbers shape;

  std::size_t rank() const { return shape.size(); }

  /// The checks of Triton's verify() and constructor, in Triton's order and with Triton's messages
  /// if it has some.
  Result<void> verify() const;

  /// The layout in which the elements of the shape are contiguous except for padding, with the
  /// first dimension of `order` fastest. Errors: an order that is not a permutation of the
  /// dimensions, a size that is not a power of two, CTAs that do not divide the shape, and those of
  /// verify().
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

  std::string mangle() const;

  /// How Gluon prints the layout's type.
  std::string type() const;

  /// The offset with padding of the element at `offset` without padding. Precondition: verify().
  std::uint64_t physical_offset(std::uint64_t offset) const {
    std::uint64_t place = offset;
    for (const Numbers& pair : interval_padding_pairs)
      place += offset / static_cast<std::uint64_t>(pair[0]) * static_cast<std::uint64_t>(pair[1]);
    return place;
  }

  /// The size of one CTA's part in elements, with the padding between elements but none after the
  /// last.
  std::uint64_t padded_size() const {
    return physical_offset((std::uint64_t{1} << offset_bases.size()) - 1) + 1;
  }

  Numbers tile() const { return shape; }

  /// The map (offset[, block]) -> (dim0, dim1, …), and the padding. Errors: those of verify(),
  /// bases that are not a one-to-one map onto the shape (Triton accepts them in Python and rejects
  /// or misreads them later), more than eight paddings.
  Result<memory::SharedLayout> to_shared() const;

  /// Removes the axis `block` if it has size 1: layouts of shared memory have it only if several
  /// CTAs share the tensor.
  static layout::LinearLayout without_empty_block(const layout::LinearLayout& map);
};

}  // namespace heddle::interop::triton
