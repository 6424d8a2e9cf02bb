#include "heddle/interop/cute/layout.h"

#include <algorithm>
#include <expected>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "library/text/formatted.h"

namespace heddle::interop::cute {

std::optional<std::string> check(const Layout& layout) {
  __int128 size = 1;
  __int128 reach = 0;
  std::optional<std::string> reason;
  for_each_leaf(layout, [&](const Mode& mode) {
    if (reason) return;
    if (mode.shape < 1) {
      reason = formatted("a shape is {}; shapes are 1 or more", mode.shape);
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

std::expected<Layout, std::string> checked(Layout layout) {
  if (auto reason = check(layout)) return std::unexpected(std::move(*reason));
  return layout;
}

IntTuple shape(const Layout& layout) {
  return map_leaves<Number>(layout, [](const Mode& mode) { return mode.shape; });
}

IntTuple stride(const Layout& layout) {
  return map_leaves<Number>(layout, [](const Mode& mode) { return mode.stride; });
}

Layout make_layout(const IntTuple& shape) {
  Number next = 1;
  return map_leaves<Mode>(shape, [&](Number size) {
    const Mode mode{size, next};
    next *= size;
    return mode;
  });
}

std::expected<Layout, std::string> make_layout(const IntTuple& shape, const IntTuple& stride) {
  if (!congruent(shape, stride))
    return std::unexpected("shape and stride nest differently; give each size one stride");
  const std::vector<Number> strides = flatten(stride);
  std::size_t next = 0;
  return checked(map_leaves<Mode>(shape, [&](Number size) { return Mode{size, strides[next++]}; }));
}

Layout make_layout(std::vector<Layout> modes) { return Layout::tuple(std::move(modes)); }

Layout from_modes(const std::vector<Mode>& modes) {
  if (modes.empty()) return Mode{1, 0};
  if (modes.size() == 1) return modes[0];
  return Layout::tuple({modes.begin(), modes.end()});
}

Number size(const Layout& layout) {
  Number result = 1;
  for_each_leaf(layout, [&](const Mode& mode) { result *= mode.shape; });
  return result;
}

bool is_compact(const Layout& layout) {
  std::vector<Mode> leaves;
  for_each_leaf(layout, [&](const Mode& mode) {
    if (mode.shape > 1) leaves.push_back(mode);
  });
  std::ranges::sort(leaves, {}, &Mode::stride);
  Number next = 1;
  for (const Mode& mode : leaves) {
    if (mode.stride != next) return false;
    next *= mode.shape;
  }
  return true;
}

Layout scaled(const Layout& layout, Number factor) {
  return map_leaves<Mode>(layout,
                          [&](const Mode& mode) { return Mode{mode.shape, mode.stride * factor}; });
}

Number cosize(const Layout& layout) {
  Number reach = 0;
  for_each_leaf(layout, [&](const Mode& mode) {
    reach += (mode.stride < 0 ? -mode.stride : mode.stride) * (mode.shape - 1);
  });
  return reach + 1;
}

Number evaluate(const Layout& layout, Number coordinate) {
  const std::vector<Mode> modes = flatten(layout);
  Number index = 0;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const bool is_last = i + 1 == modes.size();
    index += (is_last ? coordinate : coordinate % modes[i].shape) * modes[i].stride;
    coordinate /= modes[i].shape;
  }
  return index;
}

std::expected<Number, std::string> crd2idx(const IntTuple& coordinate, const Layout& layout) {
  if (coordinate.is_leaf()) return evaluate(layout, coordinate.leaf());
  if (layout.is_leaf() || layout.rank() != coordinate.rank())
    return std::unexpected(
        formatted("the coordinate has {} parts where the layout has {}", coordinate.rank(),
                  layout.is_leaf() ? "one leaf" : formatted("{}", layout.rank())));
  Number index = 0;
  for (std::size_t i = 0; i < layout.rank(); ++i) {
    const auto part = crd2idx(coordinate[i], layout[i]);
    if (!part) return part;
    index += *part;
  }
  return index;
}

std::expected<Number, std::string> crd2idx(const IntTuple& coordinate, const IntTuple& shape) {
  return crd2idx(coordinate, make_layout(shape));
}

IntTuple idx2crd(Number index, const IntTuple& shape) {
  const std::size_t leaves = flatten(shape).size();
  std::size_t next = 0;
  return map_leaves<Number>(shape, [&](Number size) {
    const Number part = ++next == leaves ? index : index % size;
    index /= size;
    return part;
  });
}

namespace detail {

std::vector<Mode> joined_leaves(const std::vector<Mode>& leaves) {
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

Layout coalesce(const Layout& layout) { return from_modes(detail::joined_leaves(flatten(layout))); }

std::expected<Layout, std::string> coalesce(const Layout& layout, const IntTuple& profile) {
  if (profile.is_leaf()) return coalesce(layout);
  if (profile.rank() > layout.rank() || (layout.is_leaf() && profile.rank() > 0))
    return std::unexpected(
        formatted("the profile has {} modes and the layout {}", profile.rank(),
                  layout.is_leaf() ? "is a leaf" : formatted("{}", layout.rank())));
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

Layout filter(const Layout& layout) {
  std::vector<Mode> kept;
  for_each_leaf(layout, [&](const Mode& mode) {
    if (mode.stride != 0) kept.push_back(mode);
  });
  return from_modes(detail::joined_leaves(kept));
}

}  // namespace heddle::interop::cute
