#include "heddle/interop/iree_layout.h"

#include <bit>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace heddle::interop::iree {

NestedLayout nested(const SubgroupLayout& layout) {
  const std::size_t rank = layout.outer.size();
  const Sizes ones(rank, 1), zeros(rank, 0);
  return {ones, ones, layout.outer, layout.thread, layout.element, zeros, layout.tstrides};
}

namespace detail {

int bits_of(std::int64_t size) { return std::countr_zero(static_cast<Basis>(size)); }

}  // namespace detail

std::expected<layout::LinearLayout, std::string> to_distributed(const NestedLayout& layout,
                                                                std::int64_t lanes,
                                                                std::int64_t warps) {
  return detail::Builder(layout, lanes, warps).build();
}

std::expected<layout::LinearLayout, std::string> to_distributed(const SubgroupLayout& layout,
                                                                std::int64_t lanes) {
  return to_distributed(nested(layout), lanes);
}

namespace detail {

Sizes tile_of(const layout::AxisList& dims, const std::vector<Basis>& words) {
  Sizes tile(static_cast<std::size_t>(dims.size()), 1);
  for (const Basis word : words)
    if (word != 0) tile[static_cast<std::size_t>(dims.axis_of_bit(std::countr_zero(word)))] *= 2;
  return tile;
}

namespace {

/// The distance of adjacent ids in each dimension; 0 if all ids are equal.
Sizes strides_of(const layout::AxisList& dims, const std::vector<Basis>& words) {
  Sizes strides(static_cast<std::size_t>(dims.size()), 0);
  for (std::size_t bit = words.size(); bit-- > 0;)
    if (words[bit] != 0)
      strides[static_cast<std::size_t>(dims.axis_of_bit(std::countr_zero(words[bit])))] =
          std::int64_t{1} << bit;
  return strides;
}

}  // namespace

std::expected<std::vector<Basis>, std::string> words_of(const layout::LinearLayout& map,
                                                        const AxisName& name) {
  std::vector<Basis> words;
  const int axis = map.inputs().find(name);
  for (int bit = 0; axis >= 0 && bit < map.inputs()[axis].bits; ++bit) {
    const Basis word = map.basis(map.inputs().offset(axis) + bit);
    const std::string which = std::string(name.text()) + " bit " + std::to_string(bit);
    if (std::popcount(word) > 1)
      return std::unexpected(which +
                             " moves by more than one bit of the dimensions, as a swizzle "
                             "does; IREE's layouts have no such");
    if (word == 0 && name == AxisName("register"))
      return std::unexpected(which + " is a copy; in IREE's layouts only lanes and subgroups are");
    words.push_back(word);
  }
  return words;
}

}  // namespace detail

std::expected<NestedLayout, std::string> from_distributed(const layout::LinearLayout& map) {
  using detail::AxisName;
  for (const layout::Axis& axis : map.inputs())
    if (axis.bits > 0 && axis.name != AxisName("register") && axis.name != AxisName("lane") &&
        axis.name != AxisName("warp"))
      return std::unexpected("the map has an input axis '" + std::string(axis.name.text()) +
                             "'; IREE's layouts have register, lane and warp");
  const auto registers = detail::words_of(map, "register");
  const auto lanes = detail::words_of(map, "lane");
  const auto warps = detail::words_of(map, "warp");
  for (const auto* words : {&registers, &lanes, &warps})
    if (!*words) return std::unexpected(words->error());
  const layout::AxisList& dims = map.outputs();
  for (std::size_t elements = registers->size() + 1; elements-- > 0;) {
    for (std::size_t inner = registers->size() + 1; inner-- > elements;) {
      const auto part = [&](std::size_t begin, std::size_t end) {
        const auto at = [&](std::size_t i) {
          return registers->begin() + static_cast<std::ptrdiff_t>(i);
        };
        return detail::tile_of(dims, {at(begin), at(end)});
      };
      const NestedLayout candidate{detail::tile_of(dims, *warps),
                                   part(inner, registers->size()),
                                   part(elements, inner),
                                   detail::tile_of(dims, *lanes),
                                   part(0, elements),
                                   detail::strides_of(dims, *warps),
                                   detail::strides_of(dims, *lanes)};
      const auto again = to_distributed(candidate, std::int64_t{1} << lanes->size(),
                                        std::int64_t{1} << warps->size());
      if (!again || again->output_bits() != map.output_bits()) continue;
      layout::LinearLayout::Bases bases{};
      std::size_t next = 0;
      for (const auto* words : {&*registers, &*lanes, &*warps})
        for (const detail::Basis word : *words) bases[next++] = word;
      bool same = true;
      for (int bit = 0; bit < again->input_bits(); ++bit)
        same = same && again->basis(bit) == bases[static_cast<std::size_t>(bit)];
      if (same) return candidate;
    }
  }
  return std::unexpected(
      "no nested layout has this order of bits: in each dimension, from the lowest, those of "
      "elements, lanes, outers, batches and subgroups, and registers that count through elements, "
      "outers and batches from the last dimension to the first");
}

std::expected<SubgroupLayout, std::string> subgroup_from_distributed(
    const layout::LinearLayout& map) {
  const auto layout = from_distributed(map);
  if (!layout) return std::unexpected(layout.error());
  for (const Sizes* sizes : {&layout->batch_tile, &layout->subgroup_tile})
    for (const std::int64_t size : *sizes)
      if (size != 1)
        return std::unexpected(std::string("the map needs ") +
                               (sizes == &layout->batch_tile ? "batches" : "several subgroups") +
                               "; the layout of one operand has outer, thread and element alone");
  return SubgroupLayout{layout->outer_tile, layout->thread_tile, layout->thread_strides,
                        layout->element_tile};
}

}  // namespace heddle::interop::iree
