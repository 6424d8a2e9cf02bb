// Divisions and products of CuTe's layouts: a division splits a layout into tiles, and a product
// makes a layout of tiles.
//
//     logical_divide(l, tile)    (tile, rest): the elements of l within a tile, and the tiles
//     logical_product(l, times)  (l, repeats): l, and the offsets of its copies
//
// A tiler is a layout, or a tuple of tilers that divides mode by mode; `_` leaves its mode as it
// is. With a tuple, logical_* returns ((tile0,rest0),(tile1,rest1),…); the functions with other
// names regroup this result:
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

/// A layout; or nothing, which stands for `_`; or a tuple of tilers.
using Tiler = Nested<std::optional<Layout>>;

/// The tiler that is this one layout, even if the layout is a tuple: one tile over all modes.
Tiler tiler(const Layout& layout);
/// The tiler (first, rest…), with one layout for each mode.
template <class... Layouts>
Tiler tilers(const Layouts&... layouts) {
  return Tiler::tuple({tiler(Layout(layouts))...});
}

namespace detail {

using LayoutOrReason = std::expected<Layout, std::string>;

/// The pair (a,b) with the modes of b (and with `first_too` also those of a) moved one level up:
/// (a,b0,b1,…).
LayoutOrReason spread(const LayoutOrReason& zipped, bool first_too);

LayoutOrReason divide(const Layout& layout, const Layout& tile);

LayoutOrReason multiply(const Layout& block, const Layout& times);

/// The layout, extended to `rank` modes by modes 1:0 at its end.
Layout padded(const Layout& layout, std::size_t rank);

/// Converts a pair (a,b) to ((a0,b0),(a1,b1),…), or if `first_part` is 1 to ((b0,a0),(b1,a1),…).
LayoutOrReason zipped(const LayoutOrReason& pair, std::size_t first_part, std::size_t rank);

}  // namespace detail

/// The composition by mode: each mode of the layout with its tiler. Modes without a tiler are
/// dropped.
std::expected<Layout, std::string> composition(const Layout& layout, const Tiler& tiler);

/// The divisions of a layout by a tiler (see the top of this file).
///
/// Law: logical_divide splits: its first mode is composition(l, tile). If l is injective and the
/// tile divides it, the result reaches every index of l once. Errors: those of complement(tile) and
/// composition; more tilers than modes.
std::expected<Layout, std::string> logical_divide(const Layout& layout, const Tiler& tiler);
std::expected<Layout, std::string> zipped_divide(const Layout& layout, const Tiler& tiler);
std::expected<Layout, std::string> tiled_divide(const Layout& layout, const Tiler& tiler);
std::expected<Layout, std::string> flat_divide(const Layout& layout, const Tiler& tiler);

/// The products of a block and a tiler (see the top of this file).
///
/// Law: logical_product repeats: its first mode is the block; copies of an injective block do not
/// overlap if `times` is injective. Errors: those of complement(block) and composition; more tilers
/// than modes.
std::expected<Layout, std::string> logical_product(const Layout& block, const Tiler& times);
std::expected<Layout, std::string> zipped_product(const Layout& block, const Tiler& times);
std::expected<Layout, std::string> tiled_product(const Layout& block, const Tiler& times);
std::expected<Layout, std::string> flat_product(const Layout& block, const Tiler& times);

/// The layout `times` with each element replaced by the block, mode by mode: ((block0,times0),…).
///
/// Law: rank(result) == max(rank(block), rank(times)).
std::expected<Layout, std::string> blocked_product(const Layout& block, const Layout& times);

/// Repeats the block by blocked_product until its modes have the sizes `shape`. Source: CUTLASS,
/// include/cute/layout.hpp.
/// - Without `order`, the block is repeated along the first mode first.
/// - With `order`, which must have the size of `shape`, it is repeated along the mode with the
/// smallest number in `order` first.
///
/// Errors: fewer sizes than modes, a size that is not a multiple of its mode's, those of
/// blocked_product.
std::expected<Layout, std::string> tile_to_shape(const Layout& block, std::span<const Number> shape,
                                                 std::span<const Number> order = {});

/// The same with the copies interleaved: ((times0,block0),…).
std::expected<Layout, std::string> raked_product(const Layout& block, const Layout& times);

}  // namespace heddle::interop::cute
