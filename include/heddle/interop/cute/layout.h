// CuTe's layouts: a nest of shapes with as many strides, a map from coordinates to an index.
//
//   ((4,8),(2,2)):((32,1),(16,8))
//
// has two modes of sizes 32 and 4. A coordinate of a mode counts through its leaves, the first
// fastest; the index is the sum of the leaves' coordinates times their strides. Any sizes and any
// strides: powers of two are not asked for (linear.h says when a layout is linear over F2). Shape
// and stride are one nest of pairs, so that they cannot differ in form.
//
// Names and meaning are those of CUTLASS's CuTe (NVIDIA/cutlass, media/docs/cpp/cute/01_layout.md
// and 02_layout_algebra.md, include/cute/layout.hpp, commit 7107b055), for layouts whose numbers
// are all known; where CuTe would return a layout that breaks its own law, there is an error here.
#pragma once

#include <expected>
#include <limits>
#include <optional>
#include <string>

#include "heddle/interop/cute/nested.h"

namespace heddle::interop::cute {

/// One leaf of a layout.
struct Mode {
  Number shape = 1;
  Number stride = 0;
  friend bool operator==(const Mode&, const Mode&) = default;
};

using Layout = Nested<Mode>;

/// The largest size and index that a layout may have.
inline constexpr Number most = Number{1} << 62;

/// Why the numbers are no layout: a shape below 1, a size or an index beyond 2^62.
inline std::optional<std::string> check(const Layout& layout) {
  __int128 size = 1;
  __int128 reach = 0;
  std::optional<std::string> reason;
  for_each_leaf(layout, [&](const Mode& mode) {
    if (reason) return;
    if (mode.shape < 1) {
      reason = "a shape is " + std::to_string(mode.shape) + "; shapes are 1 or more";
      return;
    }
    const __int128 stride = mode.stride;
    size *= mode.shape;
    reach += (stride < 0 ? -stride : stride) * (mode.shape - 1);
    if (size > most) reason = "the layout has more than 2^62 coordinates";
    if (reach > most || (stride < 0 ? -stride : stride) > most)
      reason = "the layout reaches beyond index 2^62";
  });
  return reason;
}

/// The layout, or why it is none.
inline std::expected<Layout, std::string> checked(Layout layout) {
  if (auto reason = check(layout)) return std::unexpected(std::move(*reason));
  return layout;
}

inline IntTuple shape(const Layout& layout) {
  return map_leaves<Number>(layout, [](const Mode& mode) { return mode.shape; });
}
inline IntTuple stride(const Layout& layout) {
  return map_leaves<Number>(layout, [](const Mode& mode) { return mode.stride; });
}

/// The layout of a shape with compact strides, the first leaf fastest.
inline Layout make_layout(const IntTuple& shape) {
  Number next = 1;
  return map_leaves<Mode>(shape, [&](Number size) {
    const Mode mode{size, next};
    next *= size;
    return mode;
  });
}

/// Errors: a stride that does not nest like the shape, numbers that check() refuses.
inline std::expected<Layout, std::string> make_layout(const IntTuple& shape,
                                                      const IntTuple& stride) {
  if (!congruent(shape, stride))
    return std::unexpected("shape and stride nest differently; give each size one stride");
  const std::vector<Number> strides = flatten(stride);
  std::size_t next = 0;
  return checked(map_leaves<Mode>(shape, [&](Number size) { return Mode{size, strides[next++]}; }));
}

/// The layout whose modes are those layouts.
inline Layout make_layout(std::vector<Layout> modes) { return Layout::tuple(std::move(modes)); }

/// A flat layout: a leaf for one mode, a tuple for more, 1:0 for none.
inline Layout from_modes(const std::vector<Mode>& modes) {
  if (modes.empty()) return Mode{1, 0};
  if (modes.size() == 1) return modes[0];
  return Layout::tuple({modes.begin(), modes.end()});
}

/// How many coordinates.
inline Number size(const Layout& layout) {
  Number result = 1;
  for_each_leaf(layout, [&](const Mode& mode) { result *= mode.shape; });
  return result;
}

/// One more than the largest index; with negative strides, than the distance of the farthest two.
inline Number cosize(const Layout& layout) {
  Number reach = 0;
  for_each_leaf(layout, [&](const Mode& mode) {
    reach += (mode.stride < 0 ? -mode.stride : mode.stride) * (mode.shape - 1);
  });
  return reach + 1;
}

/// The index at a coordinate that counts through all leaves, the first fastest. A coordinate beyond
/// size(layout) goes on along the last leaf.
inline Number evaluate(const Layout& layout, Number coordinate) {
  const std::vector<Mode> modes = flatten(layout);
  Number index = 0;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const bool is_last = i + 1 == modes.size();
    index += (is_last ? coordinate : coordinate % modes[i].shape) * modes[i].stride;
    coordinate /= modes[i].shape;
  }
  return index;
}

/// The index at a coordinate that nests like the layout, or less deep: (3,(1,0)), (3,2) or 7.
/// Errors: a tuple where the layout has a leaf, a tuple of another rank.
inline std::expected<Number, std::string> crd2idx(const IntTuple& coordinate,
                                                  const Layout& layout) {
  if (coordinate.is_leaf()) return evaluate(layout, coordinate.leaf());
  if (layout.is_leaf() || layout.rank() != coordinate.rank())
    return std::unexpected("the coordinate has " + std::to_string(coordinate.rank()) +
                           " parts where the layout has " +
                           (layout.is_leaf() ? "one leaf" : std::to_string(layout.rank())));
  Number index = 0;
  for (std::size_t i = 0; i < layout.rank(); ++i) {
    const auto part = crd2idx(coordinate[i], layout[i]);
    if (!part) return part;
    index += *part;
  }
  return index;
}

/// The same with the index counted through the shape.
inline std::expected<Number, std::string> crd2idx(const IntTuple& coordinate,
                                                  const IntTuple& shape) {
  return crd2idx(coordinate, make_layout(shape));
}

/// The coordinate of an index that counts through the shape, nested like the shape.
/// Law: idx2crd undoes crd2idx: crd2idx(idx2crd(i, s), s) == i.
inline IntTuple idx2crd(Number index, const IntTuple& shape) {
  const std::size_t leaves = flatten(shape).size();
  std::size_t next = 0;
  return map_leaves<Number>(shape, [&](Number size) {
    const Number part = ++next == leaves ? index : index % size;
    index /= size;
    return part;
  });
}

namespace detail {

/// The leaves with neighbours joined that count on; a leaf of size 1 is dropped.
inline std::vector<Mode> joined_leaves(const std::vector<Mode>& leaves) {
  std::vector<Mode> result;
  for (const Mode& mode : leaves) {
    if (mode.shape == 1) continue;
    if (!result.empty() && result.back().stride == mode.stride / result.back().shape &&
        mode.stride % result.back().shape == 0) {
      result.back().shape *= mode.shape;
    } else {
      result.push_back(mode);
    }
  }
  return result;
}

}  // namespace detail

/// The layout with as few leaves as give the same indices.
/// Law: coalesce keeps the function: evaluate(coalesce(l), i) == evaluate(l, i) for i < size(l),
/// and no tuple in it contains a tuple.
inline Layout coalesce(const Layout& layout) {
  return from_modes(detail::joined_leaves(flatten(layout)));
}

/// The same by mode: only inside the parts that are leaves of `profile`. Modes beyond the profile's
/// rank stay. Errors: a profile with more modes than the layout.
inline std::expected<Layout, std::string> coalesce(const Layout& layout, const IntTuple& profile) {
  if (profile.is_leaf()) return coalesce(layout);
  if (profile.rank() > layout.rank() || (layout.is_leaf() && profile.rank() > 0))
    return std::unexpected("the profile has " + std::to_string(profile.rank()) +
                           " modes and the layout " +
                           (layout.is_leaf() ? "is a leaf" : std::to_string(layout.rank())));
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < layout.rank(); ++i) {
    if (i >= profile.rank()) {
      modes.push_back(layout[i]);
      continue;
    }
    auto mode = coalesce(layout[i], profile[i]);
    if (!mode) return mode;
    modes.push_back(std::move(*mode));
  }
  return Layout::tuple(std::move(modes));
}

/// The layout without what repeats an index: leaves of stride 0 have size 1, then coalesced.
/// Law: filter keeps the image: filter(l) reaches the same indices.
inline Layout filter(const Layout& layout) {
  std::vector<Mode> kept;
  for_each_leaf(layout, [&](const Mode& mode) {
    if (mode.stride != 0) kept.push_back(mode);
  });
  return from_modes(detail::joined_leaves(kept));
}

}  // namespace heddle::interop::cute
