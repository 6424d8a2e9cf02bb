// Random layouts of CuTe for RapidCheck, of few enough coordinates to try them all.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <ostream>
#include <set>

#include "heddle/interop/cute/text.h"
#include "tests/layout/random_layouts.h"

namespace heddle::interop::cute {

inline std::ostream& operator<<(std::ostream& out, const Layout& layout) {
  return out << text(layout);
}
inline std::ostream& operator<<(std::ostream& out, const ComposedLayout& layout) {
  return out << text(layout);
}
inline std::ostream& operator<<(std::ostream& out, const IntTuple& tuple) {
  return out << text(tuple);
}

namespace property {

using layout::property::full_size;
using layout::property::number_in;

/// A nest over the next leaves of the list, which it takes.
inline Layout any_nest(std::vector<Mode>& leaves, std::size_t count, int depth) {
  if (count == 1 && (depth > 0 || number_in(0, 2) == 0)) {
    const Mode mode = leaves.back();
    leaves.pop_back();
    return mode;
  }
  std::vector<Layout> modes;
  while (count > 0) {
    const auto take = depth == 3 ? std::size_t{1} : number_in<std::size_t>(1, count + 1);
    modes.push_back(any_nest(leaves, take, depth + 1));
    count -= take;
  }
  return Layout::tuple(std::move(modes));
}

/// The strides of a layout that is compact in some order of its leaves, perhaps with gaps and
/// broadcasts.
inline void give_strides_in_some_order(std::vector<Mode>& leaves) {
  std::vector<std::size_t> order(leaves.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[number_in<std::size_t>(0, i)]);
  Number next = *rc::gen::element<Number>(1, 1, 1, 2, 3);
  for (const std::size_t place : order) {
    leaves[place].stride = next;
    next *= leaves[place].shape * *rc::gen::element<Number>(1, 1, 1, 2, 3);
    if (number_in(0, 12) == 0) leaves[place].stride = 0;
  }
}

/// Up to 4 leaves of the sizes, and at most `most_size` coordinates.
inline rc::Gen<Layout> layout_of_sizes(const std::vector<Number>& sizes, Number most_size) {
  return full_size([=] {
    std::vector<Mode> leaves;
    const int count = number_in(1, 5);
    Number size = 1;
    for (int i = 0; i < count; ++i) {
      Number next = *rc::gen::elementOf(sizes);
      if (size * next > most_size) next = 1;
      size *= next;
      leaves.push_back({next, 0});
    }
    if (number_in(0, 4) != 0) {
      give_strides_in_some_order(leaves);
    } else {
      for (Mode& leaf : leaves) leaf.stride = *rc::gen::element<Number>(0, 1, 2, 3, 4, 6, 8, 16);
    }
    return any_nest(leaves, leaves.size(), 0);
  });
}

inline rc::Gen<Layout> any_layout(Number most_size = 400) {
  return layout_of_sizes({1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 12, 16}, most_size);
}
inline rc::Gen<Layout> power_of_two_layout() {
  return layout_of_sizes({1, 2, 2, 4, 4, 8, 16}, 512);
}

inline rc::Gen<Swizzle> any_swizzle() {
  return full_size([] {
    Swizzle swizzle{number_in(0, 4), number_in(0, 5), number_in(1, 6)};
    swizzle.shift = std::max(swizzle.shift, swizzle.bits);
    if (number_in(0, 3) == 0) swizzle.shift = -swizzle.shift;
    return swizzle;
  });
}

/// All indices, in the order of coordinates.
inline std::vector<Number> indices(const Layout& layout) {
  std::vector<Number> result;
  for (Number i = 0; i < size(layout); ++i) result.push_back(evaluate(layout, i));
  return result;
}
inline std::set<Number> image(const Layout& layout) {
  const std::vector<Number> all = indices(layout);
  return {all.begin(), all.end()};
}
inline bool is_injective(const Layout& layout) {
  return static_cast<Number>(image(layout).size()) == size(layout);
}

}  // namespace property
}  // namespace heddle::interop::cute
