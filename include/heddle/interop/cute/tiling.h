// Divisions and products of CuTe's layouts: a tile out of a layout, and a layout out of tiles.
//
//     logical_divide(l, tile)    (tile, rest): the elements of l at the tile, and the tiles
//     logical_product(l, times)  (l, repeats): l, and where its copies lie
//
// A tiler is a layout, or a tuple of tilers that divides mode by mode; `_` leaves its mode alone.
// With a tuple the answer of logical_* is ((tile0,rest0),(tile1,rest1),…); the others regroup it:
//
//     zipped_*   ((tile0,tile1,…),(rest0,rest1,…))
//     tiled_*    ((tile0,tile1,…),rest0,rest1,…)
//     flat_*     (tile0,tile1,…,rest0,rest1,…)
#pragma once

#include "heddle/interop/cute/algebra.h"

namespace heddle::interop::cute {

/// A layout; nothing, for `_`; or a tuple of tilers.
using Tiler = Nested<std::optional<Layout>>;

/// The tiler of a layout, also of one that is a tuple itself: one tile over all modes.
inline Tiler tiler(const Layout& layout) { return Tiler(std::optional(layout)); }
/// The tiler (first, rest…) of layouts, by mode.
template <class... Layouts>
Tiler tilers(const Layouts&... layouts) {
  return Tiler::tuple({tiler(Layout(layouts))...});
}

namespace detail {

using LayoutOrReason = std::expected<Layout, std::string>;

/// split(mode, tile) at the leaves of the tiler; modes without one stay.
inline LayoutOrReason by_mode(const Layout& layout, const Tiler& tiler, auto&& split) {
  if (tiler.is_leaf()) return tiler.leaf() ? split(layout, *tiler.leaf()) : layout;
  if (tiler.rank() > layout.rank())
    return std::unexpected("the tiler has " + std::to_string(tiler.rank()) +
                           " modes and the layout only " + std::to_string(layout.rank()));
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < layout.rank(); ++i) {
    if (i >= tiler.rank()) {
      modes.push_back(layout[i]);
      continue;
    }
    auto mode = by_mode(layout[i], tiler[i], split);
    if (!mode) return mode;
    modes.push_back(std::move(*mode));
  }
  return Layout::tuple(std::move(modes));
}

/// The pairs at the leaves of the tiler, gathered: the firsts together, and the seconds.
inline Layout unzipped_layout(const Layout& layout, const Tiler& tiler) {
  if (tiler.is_leaf()) return tiler.leaf() ? layout : make_layout({Mode{1, 0}, layout});
  std::vector<Layout> first, second;
  for (std::size_t i = 0; i < layout.rank(); ++i) {
    if (i >= tiler.rank()) {
      second.push_back(layout[i]);
      continue;
    }
    const Layout pair = unzipped_layout(layout[i], tiler[i]);
    first.push_back(pair[0]);
    second.push_back(pair[1]);
  }
  return make_layout({make_layout(std::move(first)), make_layout(std::move(second))});
}

inline LayoutOrReason unzipped(const LayoutOrReason& layout, const Tiler& tiler) {
  return layout ? unzipped_layout(*layout, tiler) : layout;
}

/// The pair with the modes of its second, and perhaps of its first, one level higher.
inline LayoutOrReason spread(const LayoutOrReason& zipped, bool first_too) {
  if (!zipped) return zipped;
  const Layout& pair = *zipped;
  std::vector<Layout> modes;
  for (std::size_t part = 0; part < 2; ++part) {
    if (part == 0 && !first_too) {
      modes.push_back(pair[0]);
      continue;
    }
    for (std::size_t i = 0; i < pair[part].rank(); ++i) modes.push_back(pair[part][i]);
  }
  return make_layout(std::move(modes));
}

inline LayoutOrReason divide(const Layout& layout, const Layout& tile) {
  auto rest = complement(tile, size(layout));
  if (!rest) return std::unexpected("the tile has no complement: " + rest.error());
  return composition(layout, make_layout({tile, std::move(*rest)}));
}

inline LayoutOrReason multiply(const Layout& block, const Layout& times) {
  const __int128 target = static_cast<__int128>(size(block)) * cosize(times);
  if (target > most) return std::unexpected("the product reaches beyond index 2^62");
  auto free = complement(block, static_cast<Number>(target));
  if (!free) return std::unexpected("the block has no complement: " + free.error());
  Number end = 1;  // of the block; free places from there on never end
  for_each_leaf(filter(block),
                [&](const Mode& mode) { end = std::max(end, mode.shape * mode.stride); });
  if (size(*free) < cosize(times) && flatten(*free).back().stride < end)
    return std::unexpected("the block leaves " + std::to_string(size(*free)) +
                           " places free between its own, and the copies would need " +
                           std::to_string(cosize(times)) + ", so they would overlap");
  auto repeats = composition(*free, times);
  if (!repeats) return repeats;
  return make_layout({block, std::move(*repeats)});
}

/// The layout with modes 1:0 behind its own, `rank` in all.
inline Layout padded(const Layout& layout, std::size_t rank) {
  if (layout.rank() >= rank) return layout;
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank; ++i)
    modes.push_back(i < layout.rank() ? layout[i] : Layout(Mode{1, 0}));
  return make_layout(std::move(modes));
}

/// Of a pair (a,b): ((a0,b0),(a1,b1),…), or with `first_part` 1 ((b0,a0),(b1,a1),…).
inline LayoutOrReason zipped(const LayoutOrReason& pair, std::size_t first_part, std::size_t rank) {
  if (!pair) return pair;
  const Layout& first = (*pair)[first_part];
  const Layout& second = (*pair)[1 - first_part];
  // A single leaf of `times` may have become a tuple, which stays together.
  const auto only = [](const Layout& part) { return part.rank() == 1 ? part[0] : part; };
  if (rank == 1) return make_layout({make_layout({only(first), only(second)})});
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank; ++i) modes.push_back(make_layout({first[i], second[i]}));
  return make_layout(std::move(modes));
}

}  // namespace detail

/// composition by mode; modes without a tiler are dropped.
inline std::expected<Layout, std::string> composition(const Layout& layout, const Tiler& tiler) {
  auto result = detail::by_mode(layout, tiler, [](const Layout& mode, const Layout& tile) {
    return composition(mode, tile);
  });
  if (!result || tiler.is_leaf() || tiler.rank() == result->rank()) return result;
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < tiler.rank(); ++i) modes.push_back((*result)[i]);
  return make_layout(std::move(modes));
}

/// Law: logical_divide splits: its first mode is composition(l, tile), and of an injective l that
/// the tile divides it reaches every index of l once.
/// Errors: those of complement(tile) and composition; more tilers than modes.
inline std::expected<Layout, std::string> logical_divide(const Layout& layout, const Tiler& tiler) {
  return detail::by_mode(layout, tiler, detail::divide);
}
inline std::expected<Layout, std::string> zipped_divide(const Layout& layout, const Tiler& tiler) {
  return detail::unzipped(logical_divide(layout, tiler), tiler);
}
inline std::expected<Layout, std::string> tiled_divide(const Layout& layout, const Tiler& tiler) {
  return detail::spread(zipped_divide(layout, tiler), false);
}
inline std::expected<Layout, std::string> flat_divide(const Layout& layout, const Tiler& tiler) {
  return detail::spread(zipped_divide(layout, tiler), true);
}

/// Law: logical_product repeats: its first mode is the block; copies of an injective block do not
/// overlap when `times` is injective.
/// Errors: those of complement(block) and composition; more tilers than modes.
inline std::expected<Layout, std::string> logical_product(const Layout& block, const Tiler& times) {
  return detail::by_mode(block, times, detail::multiply);
}
inline std::expected<Layout, std::string> zipped_product(const Layout& block, const Tiler& times) {
  return detail::unzipped(logical_product(block, times), times);
}
inline std::expected<Layout, std::string> tiled_product(const Layout& block, const Tiler& times) {
  return detail::spread(zipped_product(block, times), false);
}
inline std::expected<Layout, std::string> flat_product(const Layout& block, const Tiler& times) {
  return detail::spread(zipped_product(block, times), true);
}

/// The block in place of every element of `times`, mode by mode: ((block0,times0),…).
/// Law: rank(result) == max(rank(block), rank(times)).
inline std::expected<Layout, std::string> blocked_product(const Layout& block,
                                                          const Layout& times) {
  const std::size_t rank = std::max(block.rank(), times.rank());
  return detail::zipped(detail::multiply(detail::padded(block, rank), detail::padded(times, rank)),
                        0, rank);
}

/// The same with the copies interleaved: ((times0,block0),…).
inline std::expected<Layout, std::string> raked_product(const Layout& block, const Layout& times) {
  const std::size_t rank = std::max(block.rank(), times.rank());
  return detail::zipped(detail::multiply(detail::padded(block, rank), detail::padded(times, rank)),
                        1, rank);
}

}  // namespace heddle::interop::cute
