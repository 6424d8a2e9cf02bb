#include "heddle/interop/cute/linear.h"

#include <bit>
#include <span>

#include "library/text/formatted.h"

namespace heddle::interop::cute {
namespace detail {

layout::AxisName dim_name(std::size_t index) {
  return layout::AxisName(std::string_view(formatted("dim{}", index)));
}

std::string name_of(const NamedWord& bit) {
  return formatted("leaf {} of mode {}", leaf_text(bit.leaf), bit.mode);
}

std::optional<std::string> append_words(std::vector<NamedWord>& words, const Layout& layout,
                                        std::size_t mode) {
  std::optional<std::string> reason;
  for_each_leaf(layout, [&](const Mode& leaf) {
    if (reason) return;
    if (!std::has_single_bit(static_cast<std::uint64_t>(leaf.shape))) {
      reason =
          formatted("leaf {} of mode {} has size {}; a linear map has sizes that are powers of two",
                    leaf_text(leaf), mode, leaf.shape);
    } else if (leaf.stride < 0 && leaf.shape > 1) {
      reason = formatted(
          "leaf {} of mode {} goes backwards; a linear map sends coordinate 0 to offset 0",
          leaf_text(leaf), mode);
    } else {
      for (Number step = 1; step < leaf.shape; step *= 2)
        words.push_back({static_cast<std::uint64_t>(step * leaf.stride), mode, leaf});
    }
  });
  return reason;
}

std::optional<std::string> find_carry(const std::vector<NamedWord>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if ((words[i].word & words[j].word) == 0) continue;
      return formatted(
          "{} adds {} where {} adds {}: the sum carries, so it is no xor, and the map is not "
          "linear",
          name_of(words[i]), words[i].word, name_of(words[j]), words[j].word);
    }
  }
  return std::nullopt;
}

bool are_disjoint(const Words& words) {
  std::uint64_t seen = 0;
  for (std::uint64_t word : words) {
    if ((seen & word) != 0) return false;
    seen |= word;
  }
  return true;
}

Layout layout_of(std::span<const std::uint64_t> words) {
  std::vector<Mode> leaves;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto stride = static_cast<Number>(words[i]);
    const bool goes_on = i > 0 && words[i] == words[i - 1] * 2;
    if (goes_on) {
      leaves.back().shape *= 2;
    } else {
      leaves.push_back({2, stride});
    }
  }
  return from_modes(leaves);
}

std::vector<std::uint64_t> swizzled(const Words& words, const Swizzle& swizzle) {
  Words result;
  for (std::uint64_t word : words)
    result.push_back(static_cast<std::uint64_t>(swizzle(static_cast<Number>(word))));
  return result;
}

namespace {

/// The swizzle with the fewest bits that makes the words share no bit. Among equals it prefers a
/// positive shift, then the lowest base.
std::optional<Swizzle> find_swizzle(const Words& words, int bits) {
  for (int count = 1; 2 * count <= bits; ++count) {
    for (const int sign : {1, -1}) {
      for (int base = 0; base + 2 * count <= bits; ++base) {
        for (int shift = count; base + count + shift <= bits; ++shift) {
          const Swizzle swizzle{count, base, sign * shift};
          if (are_disjoint(swizzled(words, swizzle))) return swizzle;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace
}  // namespace detail

std::expected<layout::LinearLayout, std::string> to_linear(const AnyLayout& any) {
  const auto* composed = std::get_if<ComposedLayout>(&any);
  const Layout& plain = composed != nullptr ? composed->layout : std::get<Layout>(any);
  if (composed != nullptr && composed->offset != 0)
    return std::unexpected(
        formatted("the offset {} before the swizzle is not 0; a linear map sends coordinate 0 to 0",
                  composed->offset));
  if (plain.rank() > layout::max_axes)
    return std::unexpected(formatted(
        "the layout has {} modes; a linear map has at most 8 axes on a side", plain.rank()));
  std::vector<detail::NamedWord> words;
  layout::AxisList inputs;
  for (std::size_t mode = 0; mode < plain.rank(); ++mode) {
    const std::size_t before = words.size();
    if (auto reason = detail::append_words(words, plain[mode], mode))
      return std::unexpected(std::move(*reason));
    inputs.push_back({detail::dim_name(mode), static_cast<int>(words.size() - before)});
  }
  if (auto carry = detail::find_carry(words)) return std::unexpected(std::move(*carry));
  layout::LinearLayout::Bases bases{};
  std::uint64_t reach = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = static_cast<Number>(words[i].word);
    bases[i] = static_cast<std::uint64_t>(composed != nullptr ? composed->swizzle(word) : word);
    reach |= bases[i];
  }
  const auto map = layout::LinearLayout::from_words(
      inputs, {{"offset", static_cast<int>(std::bit_width(reach))}}, bases);
  if (!map) return std::unexpected(std::string(map.error().message().view()));
  return *map;
}

std::expected<AnyLayout, std::string> from_linear(const layout::LinearLayout& map) {
  if (map.outputs().size() != 1)
    return std::unexpected(formatted(
        "the map has {} output axes; shape:stride gives one offset (reshape them into one)",
        map.outputs().size()));
  if (map.output_bits() > 62 || map.input_bits() > 62)
    return std::unexpected("the map has more than 62 bits on one side, CuTe's numbers do not");
  detail::Words words;
  for (int bit = 0; bit < map.input_bits(); ++bit) words.push_back(map.basis(bit));
  std::optional<Swizzle> swizzle;
  if (!detail::are_disjoint(words)) {
    swizzle = detail::find_swizzle(words, map.output_bits());
    if (!swizzle) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if ((words[i] & words[j]) == 0) continue;
          const auto name = [&](std::size_t bit) {
            const auto error = layout::error_at_basis({}, map.inputs(), static_cast<int>(bit));
            return formatted("basis {} of {}", error.numbers[0], error.axis.text());
          };
          return std::unexpected(
              formatted("{} ({}) and {} ({}) share bits, so they are no strides, and no "
                        "Swizzle<B,M,S> parts all the bases",
                        name(j), words[j], name(i), words[i]));
        }
      }
    }
    words = detail::swizzled(words, *swizzle);
  }
  std::vector<Layout> modes;
  std::size_t first = 0;
  for (const layout::Axis& axis : map.inputs()) {
    const auto bits = static_cast<std::size_t>(axis.bits);
    modes.push_back(detail::layout_of(std::span(words).subspan(first, bits)));
    first += bits;
  }
  Layout plain = modes.empty()                             ? Layout(Mode{1, 0})
                 : modes.size() == 1 && modes[0].is_leaf() ? modes[0]
                                                           : make_layout(std::move(modes));
  if (swizzle) return ComposedLayout{*swizzle, 0, std::move(plain)};
  return plain;
}

}  // namespace heddle::interop::cute
