#include "heddle/interop/triton/blocked.h"

#include <string>
#include <string_view>

#include "library/text/formatted.h"

namespace heddle::interop::triton {

Result<void> BlockedLayout::verify() const {
  const auto same = [&](std::string_view name, const Numbers& numbers) -> Result<void> {
    if (numbers.size() == size_per_thread.size()) return {};
    return wrong(formatted("{} {} has {} entries; size_per_thread {} has {}", name,
                           list_text(numbers), numbers.size(), list_text(size_per_thread),
                           size_per_thread.size()));
  };
  if (size_per_thread.empty() || size_per_thread.size() > layout::max_axes)
    return wrong(formatted("size_per_thread {} has {} entries; a layout has 1 to 8 dimensions",
                           list_text(size_per_thread), size_per_thread.size()));
  if (const auto checked = same("threads_per_warp", threads_per_warp); !checked) return checked;
  if (const auto checked = same("warps_per_cta", warps_per_cta); !checked) return checked;
  if (const auto checked = same("order", order); !checked) return checked;
  if (!are_powers_of_two(size_per_thread))
    return wrong("Every element in sizePerThread must be a power of two.");
  if (!are_powers_of_two(threads_per_warp))
    return wrong("Every element in threadsPerWarp must be a power of two.");
  if (!are_powers_of_two(warps_per_cta))
    return wrong("Every element in warpsPerCTA must be a power of two.");
  if (!is_permutation_of(order, rank()))
    return wrong("order must be a permutation of 0..(rank-1), but was " + list_text(order));
  return check_bases("cga_layout", cga_layout, rank());
}

std::string BlockedLayout::mangle() const {
  return "B" + joined(size_per_thread, "_") + "_" + joined(threads_per_warp, "_") + "_" +
         joined(warps_per_cta, "_") + "_" + joined(order, "_") + "_" + mangled(cga_layout) + "B";
}

Numbers BlockedLayout::tile() const {
  Numbers shape = reached({{"block", cga_layout}}, rank());
  for (std::size_t dim = 0; dim < rank(); ++dim)
    shape[dim] *= size_per_thread[dim] * threads_per_warp[dim] * warps_per_cta[dim];
  return shape;
}

Result<layout::LinearLayout> BlockedLayout::to_linear(const Numbers& shape) const {
  if (const auto checked = verify(); !checked) return wrong(checked.error());
  if (const auto checked = check_shape(shape, rank()); !checked) return wrong(checked.error());
  return Tile(distributed_inputs(), order)
      .spread_all("register", size_per_thread, order)
      .spread_all("lane", threads_per_warp, order)
      .spread_all("warp", warps_per_cta, order)
      .fill(cga_layout, shape);
}

Result<void> DistributedLinearLayout::verify() const {
  const auto map = map_of(inputs(), shape);
  if (!map) return wrong(map.error());
  if (!layout::is_surjective(*map))
    return wrong("the bases reach only some of the elements of the shape " + list_text(shape) +
                 "; every element needs an owner");
  return {};
}

std::string DistributedLinearLayout::mangle() const {
  return "DLL" + list_text(reg_bases) + "_" + list_text(lane_bases) + "_" + list_text(warp_bases) +
         "_" + list_text(block_bases) + "_" + list_text(shape) + "DLL";
}

Result<layout::LinearLayout> DistributedLinearLayout::to_linear(const Numbers& wanted) const {
  if (const auto checked = verify(); !checked) return wrong(checked.error());
  if (const auto checked = check_shape(wanted, rank()); !checked) return wrong(checked.error());
  auto map = map_of(inputs(), shape);
  if (!map) return map;
  layout::NameList by_register;
  for (const std::int64_t dim : order_of(reg_bases, rank()))
    by_register.push_back(dimension(static_cast<std::size_t>(dim)));
  const layout::NameList standard = layout::names_of(map->outputs());
  auto result = layout::transpose_outputs(*map, by_register);
  if (result) result = grown(*result, wanted);
  if (result) result = cut(*result, wanted, Outside::dropped);
  if (result) result = layout::transpose_outputs(*result, standard);
  if (!result) return wrong(std::string(result.error().message().view()));
  return *result;
}

std::vector<NamedBases> DistributedLinearLayout::inputs() const {
  return {
      {"register", reg_bases}, {"lane", lane_bases}, {"warp", warp_bases}, {"block", block_bases}};
}

}  // namespace heddle::interop::triton
