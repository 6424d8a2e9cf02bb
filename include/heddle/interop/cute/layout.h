// CuTe's layouts: nested shapes with one stride for each size, which map coordinates to an index.
//
//   ((4,8),(2,2)):((32,1),(16,8))
//
// has two modes of sizes 32 and 4. A coordinate of a mode counts through its leaves, the first one
// fastest; the index is the sum of the leaves' coordinates times their strides. Sizes and strides
// need not be powers of two (linear.h says when a layout is linear over F2). Shape and stride are
// stored as one nested tuple of pairs, so that they always nest alike.
//
// Names and meaning are those of CUTLASS's CuTe (NVIDIA/cutlass, media/docs/cpp/cute/01_layout.md
// and 02_layout_algebra.md, include/cute/layout.hpp, commit 7107b055), for layouts in which all
// numbers are known. If CuTe would return a layout that breaks CuTe's own law, these functions
// return an error.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "heddle/interop/cute/nested.h"
#include "heddle/layout/needs_cxx23.h"

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

/// The reason why the numbers are not a valid layout: a shape below 1, or a size or an index beyond
/// 2^62. Nothing if they are a valid layout.
std::optional<std::string> check(const Layout& layout);

/// The layout, or why it is none.
std::expected<Layout, std::string> checked(Layout layout);

IntTuple shape(const Layout& layout);
IntTuple stride(const Layout& layout);

/// The layout of a shape with compact strides, the first leaf fastest.
Layout make_layout(const IntTuple& shape);

/// The layout with this shape and stride. Errors: a stride that does not nest like the shape,
/// numbers that check() rejects.
std::expected<Layout, std::string> make_layout(const IntTuple& shape, const IntTuple& stride);

/// The layout whose modes are those layouts.
Layout make_layout(std::vector<Layout> modes);

/// A layout that is not nested: a leaf for one mode, a tuple for several, 1:0 for none.
Layout from_modes(const std::vector<Mode>& modes);

/// How many coordinates.
Number size(const Layout& layout);

/// One more than the largest index; with negative strides, one more than the largest distance of
/// two indices.
Number cosize(const Layout& layout);

/// The index at a coordinate that counts through all leaves, the first one fastest. A coordinate of
/// size(layout) or more continues along the last leaf.
Number evaluate(const Layout& layout, Number coordinate);

/// The index at a coordinate that is nested like the layout or less deeply: (3,(1,0)), (3,2) or 7.
/// Errors: a tuple where the layout has a leaf, a tuple of another rank.
std::expected<Number, std::string> crd2idx(const IntTuple& coordinate, const Layout& layout);

/// The index at a coordinate in the compact layout of `shape`, whose first leaf is fastest. Errors
/// as above.
std::expected<Number, std::string> crd2idx(const IntTuple& coordinate, const IntTuple& shape);

/// The coordinate, nested like the shape, of an index that counts through the shape.
///
/// Law: idx2crd undoes crd2idx: crd2idx(idx2crd(i, s), s) == i.
IntTuple idx2crd(Number index, const IntTuple& shape);

/// True if the layout reaches every index below its size exactly once.
bool is_compact(const Layout& layout);

/// The layout with every stride times `factor`.
Layout scaled(const Layout& layout, Number factor);

namespace detail {

/// The leaves, joined where possible: two successive leaves become one if the second one's stride
/// is the first one's size times the first one's stride. Leaves of size 1 are left out.
std::vector<Mode> joined_leaves(const std::vector<Mode>& leaves);

}  // namespace detail

/// The layout with the fewest leaves that gives the same indices.
/// Law: coalesce keeps the function: evaluate(coalesce(l), i) == evaluate(l, i) for i < size(l),
/// and no tuple in it contains a tuple.
Layout coalesce(const Layout& layout);

/// Coalesces by mode: joins leaves only within those parts of the layout that correspond to leaves
/// of `profile`. Modes beyond the profile's rank do not change. Errors: a profile with more modes
/// than the layout.
std::expected<Layout, std::string> coalesce(const Layout& layout, const IntTuple& profile);

/// The layout without repeated indices: leaves of stride 0 get size 1, then the layout is
/// coalesced.
///
/// Law: filter keeps the image: filter(l) reaches the same indices as l.
Layout filter(const Layout& layout);

}  // namespace heddle::interop::cute
