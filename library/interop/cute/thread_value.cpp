#include "heddle/interop/cute/thread_value.h"

#include <algorithm>
#include <bit>

#include "library/text/formatted.h"

namespace heddle::interop::cute {

std::expected<layout::LinearLayout, std::string> to_distributed(const ThreadValue& tv,
                                                                Number warp_size) {
  if (tv.layout.is_leaf() || tv.layout.rank() != 2)
    return std::unexpected(formatted(
        "a thread-value layout has two modes, (thread, value); this one has {}", tv.layout.rank()));
  if (!std::has_single_bit(static_cast<std::uint64_t>(warp_size)))
    return std::unexpected(formatted("a warp has a power of two of lanes, not {}", warp_size));
  if (tv.tile.size() > layout::max_axes)
    return std::unexpected("the tile has more than 8 dimensions");
  layout::AxisList outputs;
  for (std::size_t i = 0; i < tv.tile.size(); ++i) {
    if (!std::has_single_bit(static_cast<std::uint64_t>(tv.tile[i])))
      return std::unexpected(
          formatted("the tile has {} along dim{}; a linear map has sizes that are powers of two",
                    tv.tile[i], i));
    outputs.push_back(
        {detail::dim_name(i), std::countr_zero(static_cast<std::uint64_t>(tv.tile[i]))});
  }
  const auto map = to_linear(tv.layout);
  if (!map) return map;
  if (map->output_bits() > outputs.bits())
    return std::unexpected(
        formatted("the layout reaches index {}, outside the tile", cosize(tv.layout) - 1));
  const int thread_bits = map->inputs()[0].bits;
  const int value_bits = map->inputs()[1].bits;
  const int lane_bits =
      std::min(thread_bits, std::countr_zero(static_cast<std::uint64_t>(warp_size)));
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < map->input_bits(); ++bit)
    bases[static_cast<std::size_t>((bit + value_bits) % std::max(map->input_bits(), 1))] =
        map->basis(bit);
  const auto result = layout::LinearLayout::from_words(
      {{"register", value_bits}, {"lane", lane_bits}, {"warp", thread_bits - lane_bits}}, outputs,
      bases);
  if (!result) return std::unexpected(std::string(result.error().message().view()));
  return *result;
}

std::expected<ThreadValue, std::string> from_distributed(const layout::LinearLayout& map) {
  detail::Words thread, value, all;
  for (const layout::AxisName axis :
       {layout::AxisName("register"), layout::AxisName("lane"), layout::AxisName("warp")}) {
    const int index = map.inputs().find(axis);
    for (int bit = 0; index >= 0 && bit < map.inputs()[index].bits; ++bit) {
      const std::uint64_t word = map.basis(map.inputs().offset(index) + bit);
      (axis == layout::AxisName("register") ? value : thread).push_back(word);
      all.push_back(word);
    }
  }
  for (const layout::Axis& axis : map.inputs()) {
    if (axis.bits == 0 || axis.name == layout::AxisName("register") ||
        axis.name == layout::AxisName("lane") || axis.name == layout::AxisName("warp"))
      continue;
    return std::unexpected("the map has an input axis '" + std::string(axis.name.text()) +
                           "'; a thread-value layout has register, lane and warp");
  }
  if (map.output_bits() > 62 || map.input_bits() > 62)
    return std::unexpected("the map has more than 62 bits on one side, CuTe's numbers do not");
  if (!detail::are_disjoint(all))
    return std::unexpected(
        "two bases share bits of the tile's index, so they are no strides; a thread-value layout "
        "has no swizzle");
  ThreadValue result{make_layout({detail::layout_of(thread), detail::layout_of(value)}), {}};
  for (const layout::Axis& axis : map.outputs()) result.tile.push_back(Number{1} << axis.bits);
  return result;
}

}  // namespace heddle::interop::cute
