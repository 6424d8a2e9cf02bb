#include "heddle/interop/triton/tile.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

namespace heddle::interop::triton {

Numbers shape_per_cta(const Numbers& shape, const Bases& cga) {
  Numbers part = reached({{"block", cga}}, shape.size());
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    part[dim] = std::max<std::int64_t>(1, shape[dim] / part[dim]);
  return part;
}

namespace detail {
namespace {

/// The bits of a dimension's size; `shape` has the sizes in the order of the dimensions.
int wanted_bits(const layout::Axis& axis, const Numbers& shape) {
  const auto dim = static_cast<std::size_t>(axis.name.text()[3] - '0');
  return std::countr_zero(static_cast<std::uint64_t>(shape[dim]));
}

}  // namespace
}  // namespace detail

layout::Expected<layout::LinearLayout> grown(const layout::LinearLayout& map,
                                             const Numbers& shape) {
  layout::Expected<layout::LinearLayout> result = map;
  const layout::AxisName first = map.inputs()[0].name;
  for (const layout::Axis& axis : map.outputs()) {
    const int bits = detail::wanted_bits(axis, shape) - axis.bits;
    if (bits <= 0) continue;
    const auto more = layout::LinearLayout::identity(std::uint64_t{1} << bits, first, axis.name);
    result = layout::product(*result, *more);
    if (!result) return result;
  }
  return result;
}

layout::Expected<layout::LinearLayout> cut(const layout::LinearLayout& map, const Numbers& shape,
                                           Outside outside) {
  const layout::AxisList& old = map.outputs();
  layout::LinearLayout::Bases bases{};
  std::vector<int> kept;
  std::uint64_t dropped = 0;
  for (int bit = 0; bit < map.input_bits(); ++bit)
    bases[static_cast<std::size_t>(bit)] = map.basis(bit);
  layout::AxisList outputs;
  for (int index = 0; index < old.size(); ++index) {
    const int wanted = std::min(old[index].bits, detail::wanted_bits(old[index], shape));
    std::vector<std::pair<std::uint64_t, int>> furthest;
    for (int bit = 0; bit < map.input_bits(); ++bit) {
      const std::uint64_t coordinate = old.coordinate(bases[static_cast<std::size_t>(bit)], index);
      if (coordinate != 0) furthest.push_back({coordinate, bit});
    }
    std::ranges::sort(furthest, std::greater<>{});
    for (std::size_t i = 0; i < furthest.size() && old[index].bits - static_cast<int>(i) > wanted;
         ++i) {
      const int bit = furthest[i].second;
      const bool is_register =
          map.inputs()[map.inputs().axis_of_bit(bit)].name == layout::AxisName("register");
      if (is_register && outside == Outside::dropped) dropped |= std::uint64_t{1} << bit;
      bases[static_cast<std::size_t>(bit)] &=
          ~(layout::low_bits(old[index].bits) << old.offset(index));
    }
    outputs.push_back({old[index].name, wanted});
  }
  // Packs the coordinates that are left of each basis into a flat word of the smaller output axes.
  layout::LinearLayout::Bases packed{};
  layout::AxisList inputs;
  std::size_t next = 0;
  int bit = 0;
  for (const layout::Axis& axis : map.inputs()) {
    const std::size_t begin = next;
    for (const int end = bit + axis.bits; bit < end; ++bit) {
      if ((dropped >> bit & 1) != 0) continue;
      std::uint64_t word = 0;
      for (int index = 0; index < old.size(); ++index) {
        const std::uint64_t coordinate =
            old.coordinate(bases[static_cast<std::size_t>(bit)], index);
        if (coordinate != 0) word |= coordinate << outputs.offset(index);
      }
      packed[next++] = word;
    }
    inputs.push_back({axis.name, static_cast<int>(next - begin)});
  }
  return layout::LinearLayout::from_words(inputs, outputs, packed);
}

Result<layout::LinearLayout> fill(const layout::LinearLayout& tile, const Bases& cga,
                                  const Numbers& shape) {
  if (const auto checked = check_shape(shape); !checked) return wrong(checked.error());
  const auto checked = check_bases("cga_layout", cga, shape.size());
  if (!checked) return wrong(checked.error());
  const std::vector<NamedBases> block{{"block", cga}};
  const auto whole = map_of(block, reached(block, shape.size()));
  if (!whole) return wrong(whole.error());
  auto map = cut(*whole, shape);
  const layout::LinearLayout blocks = map.value();
  Numbers part = shape;
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    part[dim] >>= blocks.outputs().bits_of(dimension(dim));
  map = grown(tile, part);
  if (map) map = cut(*map, part);
  if (map) map = layout::product(*map, blocks);
  layout::NameList dims;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) dims.push_back(dimension(dim));
  if (map) map = layout::transpose_outputs(*map, dims);
  if (!map) return wrong(std::string(map.error().message().view()));
  return *map;
}

layout::NameList distributed_inputs() { return {"register", "lane", "warp"}; }

}  // namespace heddle::interop::triton
