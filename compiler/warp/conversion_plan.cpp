#include "compiler/warp/conversion_plan.h"

#include "heddle/plan/conversion.h"
#include "heddle/plan/lane_conversion.h"

namespace heddle::compiler {

using layout::LinearLayout;

namespace {

// `map` with the axes of `other`. `map` may have longer axes than `other`. Positions beyond the end
// of an axis of `other` become copies of positions inside, since registers beyond the end of a
// vector may hold anything.
LinearLayout within(const LinearLayout& map, const LinearLayout& other) {
  LinearLayout::Bases bases{};
  for (int bit = 0; bit < map.input_bits(); ++bit)
    for (int axis = 0; axis < other.outputs().size(); ++axis)
      bases[static_cast<std::size_t>(bit)] |=
          (map.outputs().coordinate(map.basis(bit), axis) & (other.outputs()[axis].size() - 1))
          << other.outputs().offset(axis);
  return LinearLayout::from_words(map.inputs(), other.outputs(), bases).value();
}

}  // namespace

std::optional<ConversionPlan> plan_layout_conversion(const LinearLayout& from_map,
                                                     const LinearLayout& to_map,
                                                     instruction::Target target, int element_bits) {
  if (from_map.outputs().size() != to_map.outputs().size()) return std::nullopt;
  const LinearLayout from = plan::detail::with_all_axes(from_map);
  const LinearLayout to = plan::detail::with_all_axes(within(to_map, from_map));
  const auto source = plan::detail::nearest_source(to, from);
  if (!source) return std::nullopt;
  const auto within = layout::sublayout(*source, {"register", "lane"}, {"register", "lane"});
  const auto held = layout::sublayout(from, {"register", "lane"}, layout::names_of(from.outputs()));
  const LinearLayout same = layout::kernel(held.value());
  std::vector<plan::SourceCopy> copies;
  for (int bit = 0; bit < same.input_bits(); ++bit)
    copies.push_back({same.basis("kernel", bit, "register"), same.basis("kernel", bit, "lane")});
  ConversionPlan result;
  result.source = within.value();
  result.exchange = plan::lane_exchange(result.source, element_bits, copies);
  const auto way = plan::detail::cheapest_lane_way(instruction::processor(target), result.source,
                                                   result.exchange ? &*result.exchange : nullptr,
                                                   std::max(4, element_bits));
  if (way) {
    result.cost = way->cost();
    result.way = plan::name(way->way);
    if (element_bits % 8 == 0) result.swaps = way->swaps;
  } else {
    // Without a plan: one shuffle and one select for each register that any lane may need.
    result.cost = 12 * result.source.input_size("register") * 4;
    result.way = "lanes";
  }
  return result;
}

}  // namespace heddle::compiler
