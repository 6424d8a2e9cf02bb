#include "compiler/warp/conversion_plan.h"

#include "heddle/plan/conversion.h"
#include "heddle/plan/lane_conversion.h"

namespace heddle::compiler {

std::optional<ConversionPlan> plan_layout_conversion(const layout::LinearLayout& from_map,
                                                     const layout::LinearLayout& to_map,
                                                     instruction::Target target, int element_bits) {
  const layout::LinearLayout from = plan::detail::with_all_axes(from_map);
  const layout::LinearLayout to = plan::detail::with_all_axes(to_map);
  if (!(from.outputs() == to.outputs())) return std::nullopt;
  const auto source = plan::detail::nearest_source(to, from);
  if (!source) return std::nullopt;
  const auto within = layout::sublayout(*source, {"register", "lane"}, {"register", "lane"});
  const auto held = layout::sublayout(from, {"register", "lane"}, layout::names_of(from.outputs()));
  const layout::LinearLayout same = layout::kernel(held.value());
  std::vector<plan::SourceCopy> copies;
  for (int bit = 0; bit < same.input_bits(); ++bit)
    copies.push_back({same.basis("kernel", bit, "register"), same.basis("kernel", bit, "lane")});
  ConversionPlan result;
  result.source = within.value();
  result.exchange = plan::lane_exchange(result.source, element_bits, copies);
  if (result.exchange) {
    const auto way = plan::detail::lane_way(instruction::processor(target), *result.exchange,
                                            std::max(4, element_bits));
    result.cost = way.cost();
    result.way = plan::name(way.way);
  } else {
    // One shuffle and one select for each register that a lane may need.
    result.cost = 12 * result.source.input_size("register") * 4;
    result.way = "lanes";
  }
  return result;
}

}  // namespace heddle::compiler
