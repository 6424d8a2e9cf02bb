#include "heddle/interop/cute/tiling.h"

#include <algorithm>
#include <numeric>

#include "library/text/formatted.h"

namespace heddle::interop::cute {

Tiler tiler(const Layout& layout) { return Tiler(std::optional(layout)); }

namespace detail {

/// Applies split(mode, tile) to every mode for which the tiler has a leaf. Other modes stay as they
/// are.
LayoutOrReason by_mode(const Layout& layout, const Tiler& tiler, auto&& split) {
  if (tiler.is_leaf()) return tiler.leaf() ? split(layout, *tiler.leaf()) : layout;
  if (tiler.rank() > layout.rank())
    return std::unexpected(
        formatted("the tiler has {} modes and the layout only {}", tiler.rank(), layout.rank()));
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

namespace {

/// `layout` has a pair (tile, rest) for each mode that a leaf of the tiler has split. The result
/// has the tiles of all pairs together, and then the rests. A mode that was not split is a rest.
Layout unzipped_layout(const Layout& layout, const Tiler& tiler) {
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

LayoutOrReason unzipped(const LayoutOrReason& layout, const Tiler& tiler) {
  return layout ? unzipped_layout(*layout, tiler) : layout;
}

}  // namespace

LayoutOrReason spread(const LayoutOrReason& zipped, bool first_too) {
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

LayoutOrReason divide(const Layout& layout, const Layout& tile) {
  auto rest = complement(tile, size(layout));
  if (!rest) return std::unexpected("the tile has no complement: " + rest.error());
  return composition(layout, make_layout({tile, std::move(*rest)}));
}

LayoutOrReason multiply(const Layout& block, const Layout& times) {
  const __int128 target = static_cast<__int128>(size(block)) * cosize(times);
  if (target > most) return std::unexpected("the product reaches beyond index 2^62");
  auto free = complement(block, static_cast<Number>(target));
  if (!free) return std::unexpected("the block has no complement: " + free.error());
  Number end = 1;  // of the block; every place from there on is free
  for_each_leaf(filter(block),
                [&](const Mode& mode) { end = std::max(end, mode.shape * mode.stride); });
  if (size(*free) < cosize(times) && flatten(*free).back().stride < end)
    return std::unexpected(
        formatted("the block leaves {} places free between its own, and the copies would need {}, "
                  "so they would overlap",
                  size(*free), cosize(times)));
  auto repeats = composition(*free, times);
  if (!repeats) return repeats;
  return make_layout({block, std::move(*repeats)});
}

Layout padded(const Layout& layout, std::size_t rank) {
  if (layout.rank() >= rank) return layout;
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank; ++i)
    modes.push_back(i < layout.rank() ? layout[i] : Layout(Mode{1, 0}));
  return make_layout(std::move(modes));
}

LayoutOrReason zipped(const LayoutOrReason& pair, std::size_t first_part, std::size_t rank) {
  if (!pair) return pair;
  const Layout& first = (*pair)[first_part];
  const Layout& second = (*pair)[1 - first_part];
  // A leaf of `times` may have become a tuple. That tuple stays one mode.
  const auto only = [](const Layout& part) { return part.rank() == 1 ? part[0] : part; };
  if (rank == 1) return make_layout({make_layout({only(first), only(second)})});
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank; ++i) modes.push_back(make_layout({first[i], second[i]}));
  return make_layout(std::move(modes));
}

}  // namespace detail

std::expected<Layout, std::string> composition(const Layout& layout, const Tiler& tiler) {
  auto result = detail::by_mode(layout, tiler, [](const Layout& mode, const Layout& tile) {
    return composition(mode, tile);
  });
  if (!result || tiler.is_leaf() || tiler.rank() == result->rank()) return result;
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < tiler.rank(); ++i) modes.push_back((*result)[i]);
  return make_layout(std::move(modes));
}

std::expected<Layout, std::string> logical_divide(const Layout& layout, const Tiler& tiler) {
  return detail::by_mode(layout, tiler, detail::divide);
}

std::expected<Layout, std::string> zipped_divide(const Layout& layout, const Tiler& tiler) {
  return detail::unzipped(logical_divide(layout, tiler), tiler);
}

std::expected<Layout, std::string> tiled_divide(const Layout& layout, const Tiler& tiler) {
  return detail::spread(zipped_divide(layout, tiler), false);
}

std::expected<Layout, std::string> flat_divide(const Layout& layout, const Tiler& tiler) {
  return detail::spread(zipped_divide(layout, tiler), true);
}

std::expected<Layout, std::string> logical_product(const Layout& block, const Tiler& times) {
  return detail::by_mode(block, times, detail::multiply);
}

std::expected<Layout, std::string> zipped_product(const Layout& block, const Tiler& times) {
  return detail::unzipped(logical_product(block, times), times);
}

std::expected<Layout, std::string> tiled_product(const Layout& block, const Tiler& times) {
  return detail::spread(zipped_product(block, times), false);
}

std::expected<Layout, std::string> flat_product(const Layout& block, const Tiler& times) {
  return detail::spread(zipped_product(block, times), true);
}

std::expected<Layout, std::string> blocked_product(const Layout& block, const Layout& times) {
  const std::size_t rank = std::max(block.rank(), times.rank());
  return detail::zipped(detail::multiply(detail::padded(block, rank), detail::padded(times, rank)),
                        0, rank);
}

std::expected<Layout, std::string> tile_to_shape(const Layout& block, std::span<const Number> shape,
                                                 std::span<const Number> order) {
  if (block.rank() > shape.size())
    return std::unexpected(
        formatted("the layout has {} modes and the shape only {}", block.rank(), shape.size()));
  if (!order.empty() && order.size() != shape.size())
    return std::unexpected(
        formatted("the order has length {} and the shape {}", order.size(), shape.size()));
  const Layout padded = detail::padded(block, shape.size());
  std::vector<Mode> times;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Number of = size(padded[i]);
    if (shape[i] < 1 || shape[i] % of != 0)
      return std::unexpected(
          formatted("mode {} has size {}, which does not divide {}", i, of, shape[i]));
    times.push_back({shape[i] / of, 0});
  }
  std::vector<std::size_t> modes(shape.size());
  std::iota(modes.begin(), modes.end(), std::size_t{0});
  if (!order.empty())
    std::ranges::sort(modes, {}, [&](std::size_t mode) { return std::pair(order[mode], mode); });
  Number stride = 1;
  for (const std::size_t mode : modes) {
    if (times[mode].shape == 1) continue;
    times[mode].stride = stride;
    if (__builtin_mul_overflow(stride, times[mode].shape, &stride))
      return std::unexpected("the product reaches beyond index 2^62");
  }
  return blocked_product(padded, from_modes(times));
}

std::expected<Layout, std::string> raked_product(const Layout& block, const Layout& times) {
  const std::size_t rank = std::max(block.rank(), times.rank());
  return detail::zipped(detail::multiply(detail::padded(block, rank), detail::padded(times, rank)),
                        1, rank);
}

}  // namespace heddle::interop::cute
