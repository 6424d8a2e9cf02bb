#include "heddle/interop/cute/shared.h"

#include <algorithm>
#include <bit>

#include "library/text/formatted.h"

namespace heddle::interop::cute {
namespace detail {

std::expected<std::vector<StrideBit>, std::string> stride_bits(const Layout& layout) {
  std::vector<StrideBit> bits;
  std::optional<std::string> reason;
  int coordinate_bit = 0;
  for_each_leaf(layout, [&](const Mode& leaf) {
    if (reason) return;
    if (!std::has_single_bit(static_cast<std::uint64_t>(leaf.shape)))
      reason = formatted("the size {} is no power of two", leaf.shape);
    else if (leaf.shape > 1 && leaf.stride < 0)
      reason = formatted("the stride {} leads below offset 0", leaf.stride);
    else if (leaf.shape > 1 && leaf.stride == 0)
      reason = formatted("the stride {} puts several elements in one place", leaf.stride);
    for (Number step = 1; !reason && step < leaf.shape; step *= 2)
      bits.push_back({static_cast<std::uint64_t>(leaf.stride * step), coordinate_bit++});
  });
  if (reason) return std::unexpected(std::move(*reason));
  return bits;
}

}  // namespace detail

std::expected<memory::SharedLayout, std::string> to_shared(const AnyLayout& any) {
  const auto* plain = std::get_if<Layout>(&any);
  if (plain == nullptr) {
    const auto map = to_linear(any);
    if (!map) return std::unexpected(map.error());
    const auto inverse = layout::invert(*map);
    if (!inverse) return std::unexpected("not every offset holds one element");
    return memory::SharedLayout{*inverse, {}};
  }
  auto bits = detail::stride_bits(*plain);
  if (!bits) return std::unexpected(bits.error());
  if (plain->rank() > layout::max_axes || bits->size() > 40)
    return std::unexpected("a layout of shared memory has at most 8 dimensions and 40 bits");
  std::ranges::sort(*bits, {}, &detail::StrideBit::stride);
  memory::SharedLayout shared;
  layout::LinearLayout::Bases bases{};
  for (std::size_t i = 0; i < bits->size(); ++i) {
    const std::uint64_t before = i == 0 ? 0 : (*bits)[i - 1].stride;
    const std::uint64_t dense = i == 0 ? 1 : 2 * before;
    const std::uint64_t stride = (*bits)[i].stride;
    if (stride < dense)
      return std::unexpected(
          formatted("the stride {} steps into elements that smaller strides reach", stride));
    if (stride > dense) {
      if (stride >> 32 != 0)
        return std::unexpected(formatted("the stride {} is beyond 2^32 elements", stride));
      if (shared.padding.size() == memory::PaddingList::most)
        return std::unexpected(
            formatted("more gaps than {} paddings leave", memory::PaddingList::most));
      shared.padding.push_back({std::uint64_t{1} << i, stride - dense});
    }
    bases[i] = std::uint64_t{1} << (*bits)[i].coordinate_bit;
  }
  layout::AxisList dims;
  for (std::size_t mode = 0; mode < plain->rank(); ++mode) {
    const Number size = cute::size((*plain)[mode]);
    dims.push_back({detail::dim_name(mode), std::countr_zero(static_cast<std::uint64_t>(size))});
  }
  shared.map =
      layout::LinearLayout::from_words({{"offset", static_cast<int>(bits->size())}}, dims, bases)
          .value();
  return shared;
}

std::expected<AnyLayout, std::string> from_shared(const memory::SharedLayout& shared) {
  if (shared.map.inputs().bits_of("block") > 0)
    return std::unexpected("the tile is spread over several blocks; CuTe's layout has one offset");
  const auto offsets =
      layout::sublayout(shared.map, {"offset"}, layout::names_of(shared.map.outputs()));
  const auto to_offset = layout::invert(offsets.value());
  if (!to_offset) return std::unexpected(std::string(to_offset.error().message().view()));
  if (shared.padding.empty()) return from_linear(*to_offset);
  std::vector<Layout> modes;
  for (int dim = 0; dim < to_offset->inputs().size(); ++dim) {
    detail::Words places;
    for (int bit = 0; bit < to_offset->inputs()[dim].bits; ++bit) {
      const std::uint64_t offset = to_offset->basis(to_offset->inputs().offset(dim) + bit);
      if (std::popcount(offset) != 1)
        return std::unexpected("a swizzle with padding: CuTe's swizzle xors places, not offsets");
      places.push_back(shared.place(offset));
    }
    modes.push_back(detail::layout_of(places));
  }
  return AnyLayout(make_layout(modes));
}

}  // namespace heddle::interop::cute
