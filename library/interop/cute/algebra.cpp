#include "heddle/interop/cute/algebra.h"

#include <algorithm>

#include "library/text/formatted.h"

namespace heddle::interop::cute {
namespace detail {

std::string leaf_text(const Mode& mode) { return formatted("{}:{}", mode.shape, mode.stride); }

namespace {

constexpr Number ceil_div(Number a, Number b) { return a / b + (a % b != 0); }

/// The leaves of the layout, neighbours joined. The last leaf is continued beyond the layout's
/// size, so that larger coordinates also get their index.
std::vector<Mode> unbounded_leaves(const Layout& layout) {
  std::vector<Mode> leaves = flatten(layout);
  if (leaves.empty()) return {Mode{1, 0}};
  const Mode last = leaves.back();
  std::vector<Mode> result = joined_leaves(leaves);
  if (last.shape != 1) return result;
  if (result.empty() || result.back().shape * result.back().stride != last.stride)
    result.push_back(last);
  return result;
}

/// Composes the left layout with one leaf of the right layout after the other. For each leaf of the
/// left layout, it also adds up how far all leaves of the right layout together reach inside it
/// (see find_carry).
class Composer {
 public:
  /// `left` as unbounded_leaves gives it.
  explicit Composer(std::vector<Mode> left) : left_(std::move(left)), used_(left_.size()) {}

  std::expected<Layout, std::string> compose(const Layout& right) {
    if (right.is_leaf()) return compose_leaf(right.leaf());
    std::vector<Layout> modes;
    for (std::size_t i = 0; i < right.rank(); ++i) {
      auto mode = compose(right[i]);
      if (!mode) return mode;
      modes.push_back(std::move(*mode));
    }
    return Layout::tuple(std::move(modes));
  }

  /// The leaves of the right layout are composed one by one. This is right only if no sum of their
  /// coordinates carries from one leaf of `left_` into the next. Returns the reason why the result
  /// is wrong; nothing if it is right.
  std::optional<std::string> find_carry() const {
    for (std::size_t i = 0; i + 1 < left_.size(); ++i) {
      if (used_[i] < left_[i].shape) continue;
      return "the leaves of the right layout add up beyond the leaf " + leaf_text(left_[i]) +
             " of the left one and would carry into the next, which strides cannot say";
    }
    return std::nullopt;
  }

 private:
  /// Appends a leaf to `result`. reach_ adds up the largest index that the leaves reach; if it is
  /// above `most`, compose_leaf returns an error.
  void append(std::vector<Mode>& result, Number shape, Number step, Number stride) {
    const __int128 product = static_cast<__int128>(step) * stride;
    reach_ += (product < 0 ? -product : product) * shape;
    result.push_back({shape, reach_ > most ? 0 : step * stride});
  }

  std::expected<Layout, std::string> compose_leaf(const Mode& right) {
    if (right.stride == 0) return right;
    if (right.stride < 0)
      return std::unexpected("the leaf " + leaf_text(right) +
                             " goes backwards; composition takes strides of 0 or more");
    std::vector<Mode> result;
    Number shape = right.shape;
    Number step = right.stride;
    for (std::size_t i = 0; i + 1 < left_.size(); ++i) {
      const Mode& mode = left_[i];
      if (step % mode.shape != 0 && shape > 1) {
        const bool stays_inside = static_cast<__int128>(shape - 1) * step < mode.shape;
        if (!stays_inside && mode.shape % step != 0)
          return std::unexpected(
              formatted("the leaf {} steps by {} through the leaf {}, and neither of {} and {} "
                        "divides the other",
                        leaf_text(right), step, leaf_text(mode), step, mode.shape));
        const Number taken = std::min(ceil_div(mode.shape, step), shape);
        if (shape % taken != 0)
          return std::unexpected(
              formatted("the leaf {} takes {} steps inside the leaf {}, which does not divide the "
                        "{} that it has left",
                        leaf_text(right), taken, leaf_text(mode), shape));
        append(result, taken, step, mode.stride);
        used_[i] += (taken - 1) * step;
        shape /= taken;
      }
      step = ceil_div(step, mode.shape);
    }
    if (shape != 1 || result.empty()) append(result, shape, step, left_.back().stride);
    if (reach_ > most) return std::unexpected("the composition reaches beyond index 2^62");
    return from_modes(result);
  }

  std::vector<Mode> left_;
  std::vector<Number> used_;  // the largest coordinate inside each leaf
  __int128 reach_ = 0;
};

/// The leaves of the filtered layout whose stride is not 0, in ascending order of strides.
std::vector<Mode> leaves_by_stride(const Layout& layout) {
  std::vector<Mode> leaves = flatten(filter(layout));
  std::erase_if(leaves, [](const Mode& mode) { return mode.stride == 0; });
  std::ranges::sort(leaves, {}, &Mode::stride);
  return leaves;
}

/// A leaf, and the product of the shapes of all leaves before it: the distance of the leaf's
/// neighbouring coordinates in a count through the coordinates of all leaves.
struct PlacedMode {
  Mode mode;
  Number place;
};

/// The leaves of the coalesced layout in ascending order of strides, without those of stride 0.
std::vector<PlacedMode> placed_by_stride(const Layout& layout) {
  std::vector<PlacedMode> result;
  Number place = 1;
  for_each_leaf(coalesce(layout), [&](const Mode& mode) {
    if (mode.stride != 0) result.push_back({mode, place});
    place *= mode.shape;
  });
  std::ranges::sort(result, {},
                    [](const PlacedMode& leaf) { return std::pair(leaf.mode.stride, leaf.place); });
  return result;
}

}  // namespace
}  // namespace detail

std::expected<Layout, std::string> composition(const Layout& left, const Layout& right) {
  detail::Composer composer(detail::unbounded_leaves(left));
  auto result = composer.compose(right);
  if (!result) return result;
  if (auto carry = composer.find_carry()) return std::unexpected(std::move(*carry));
  return result;
}

std::expected<Layout, std::string> complement(const Layout& layout, Number cotarget) {
  if (cotarget < 1 || cotarget > most)
    return std::unexpected(
        formatted("the size to fill is {}; it is 1 or more, at most 2^62", cotarget));
  std::vector<Mode> result;
  Number covered = 1;
  for (const Mode& mode : detail::leaves_by_stride(layout)) {
    if (mode.stride < covered)
      return std::unexpected(
          "the leaf " + detail::leaf_text(mode) +
          (mode.stride < 0
               ? " goes backwards; a complement is of strides of 0 "
                 "or more"
               : formatted(" overlaps those of smaller strides, which fill {}", covered)));
    result.push_back({mode.stride / covered, covered});
    if (mode.shape > most / mode.stride)
      return std::unexpected("the complement reaches beyond index 2^62");
    covered = mode.shape * mode.stride;
  }
  result.push_back({detail::ceil_div(cotarget, covered), covered});
  return checked(coalesce(from_modes(result)));
}

std::expected<Layout, std::string> complement(const Layout& layout) {
  return complement(layout, cosize(filter(layout)));
}

Layout right_inverse(const Layout& layout) {
  std::vector<Mode> result;
  Number next = 1;
  for (const auto& [mode, place] : detail::placed_by_stride(layout)) {
    if (mode.stride != next) continue;
    result.push_back({mode.shape, place});
    next *= mode.shape;
  }
  return coalesce(from_modes(result));
}

std::expected<Layout, std::string> left_inverse(const Layout& layout) {
  std::vector<Mode> result;
  Mode last{1, 1};
  Number place_of_last = 0;
  for (const auto& [mode, place] : detail::placed_by_stride(layout)) {
    if (mode.stride < 0)
      return std::unexpected("the leaf " + detail::leaf_text(mode) +
                             " goes backwards; an inverse is of strides of 0 or more");
    if (mode.stride < last.shape * last.stride)
      return std::unexpected("the leaf " + detail::leaf_text(mode) + " overlaps the leaf " +
                             detail::leaf_text(last) + "; an inverse needs indices of their own");
    if (mode.stride % last.stride != 0)
      return std::unexpected("the stride of the leaf " + detail::leaf_text(mode) +
                             " is no multiple of that of the leaf " + detail::leaf_text(last) +
                             ", which an inverse needs");
    result.push_back({mode.stride / last.stride, place_of_last});
    last = mode;
    place_of_last = place;
  }
  result.push_back({last.shape, place_of_last});
  return coalesce(from_modes(result));
}

}  // namespace heddle::interop::cute
