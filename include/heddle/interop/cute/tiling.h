// Divisions and products of CuTe's layouts: a division cuts a layout into tiles, and a product
// makes a layout of tiles.
//
//     logical_divide(l, tile)    (tile, rest): the elements of l at the tile, and the tiles
//     logical_product(l, times)  (l, repeats): l, and where its copies lie
//
// A tiler is a layout, or a tuple of tilers that divides mode by mode; `_` leaves its mode alone.
// With a tuple, logical_* returns ((tile0,rest0),(tile1,rest1),…); the others regroup that:
//
//     zipped_*   ((tile0,tile1,…),(rest0,rest1,…))
//     tiled_*    ((tile0,tile1,…),rest0,rest1,…)
//     flat_*     (tile0,tile1,…,rest0,rest1,…)
#pragma once

#include <expected>
#include <span>
#include <string>

#include "heddle/interop/cute/algebra.h"

namespace heddle::interop::cute {

/// A layout; nothing, for `_`; or a tuple of tilers.
using Tiler = Nested<std::optional<Layout>>;

/// The tiler of a layout, also of one that is a tuple itself: one tile over all modes.
Tiler tiler(const Layout& layout);
/// The tiler (first, rest…) of layouts, by mode.
template <class... Layouts>
Tiler tilers(const Layouts&... layouts) {
  return Tiler::tuple({tiler(Layout(layouts))...});
}

namespace detail {

using LayoutOrReason = std::expected<Layout, std::string>;

/// The pair with the modes of its second, and perhaps of its first, one level higher.
LayoutOrReason spread(const LayoutOrReason& zipped, bool first_too);

LayoutOrReason divide(const Layout& layout, const Layout& tile);

LayoutOrReason multiply(const Layout& block, const Layout& times);

/// The layout with modes 1:0 behind its own, `rank` in all.
Layout padded(const Layout& layout, std::size_t rank);

/// Of a pair (a,b): ((a0,b0),(a1,b1),…), or with `first_part` 1 ((b0,a0),(b1,a1),…).
LayoutOrReason zipped(const LayoutOrReason& pair, std::size_t first_part, std::size_t rank);

}  // namespace detail

/// composition by mode; modes without a tiler are dropped.
std::expected<Layout, std::string> composition(const Layout& layout, const Tiler& tiler);

/// Law: logical_divide splits: its first mode is composition(l, tile). If l is injective and the
/// tile divides it, the result reaches every index of l once.
/// Errors: those of complement(tile) and composition; more tilers than modes.
std::expected<Layout, std::string> logical_divide(const Layout& layout, const Tiler& tiler);
std::expected<Layout, std::string> zipped_divide(const Layout& layout, const Tiler& tiler);
std::expected<Layout, std::string> tiled_divide(const Layout& layout, const Tiler& tiler);
std::expected<Layout, std::string> flat_divide(const Layout& layout, const Tiler& tiler);

/// Law: logical_product repeats: its first mode is the block; copies of an injective block do not
/// overlap when `times` is injective.
/// Errors: those of complement(block) and composition; more tilers than modes.
std::expected<Layout, std::string> logical_product(const Layout& block, const Tiler& times);
std::expected<Layout, std::string> zipped_product(const Layout& block, const Tiler& times);
std::expected<Layout, std::string> tiled_product(const Layout& block, const Tiler& times);
std::expected<Layout, std::string> flat_product(const Layout& block, const Tiler& times);

/// Puts the block in place of every element of `times`, mode by mode: ((block0,times0),…).
/// Law: rank(result) == max(rank(block), rank(times)).
std::expected<Layout, std::string> blocked_product(const Layout& block, const Layout& times);

/// The block repeated by blocked_product until its modes have these sizes. It repeats along the
/// first mode first; with `order`, which is as long as `shape`, along the mode with the smallest
/// number first.
/// Source: CUTLASS, include/cute/layout.hpp.
/// Errors: fewer sizes than modes, a size that its mode does not divide, those of blocked_product.
std::expected<Layout, std::string> tile_to_shape(const Layout& block, std::span<const Number> shape,
                                                 std::span<const Number> order = {});

/// The same with the copies interleaved: ((times0,block0),…).
std::expected<Layout, std::string> raked_product(const Layout& block, const Layout& times);

}  // namespace heddle::interop::cute
