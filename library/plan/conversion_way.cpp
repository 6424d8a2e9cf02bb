#include "heddle/plan/conversion_way.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::plan {
namespace detail {

layout::LinearLayout with_all_axes(const layout::LinearLayout& map) {
  layout::AxisList inputs;
  layout::LinearLayout::Bases bases{};
  std::size_t next = 0;
  for (const layout::AxisName& axis : distributed_axes) {
    inputs.push_back({axis, map.inputs().bits_of(axis)});
    for (const std::uint64_t word : words_of(map, axis)) bases[next++] = word;
  }
  return layout::LinearLayout::from_words(inputs, map.outputs(), bases).value();
}

void add_step(ConversionWay& way, std::string_view instruction, std::uint64_t count,
              std::string why, bool is_barrier) {
  if (count == 0) return;
  for (ConversionStep& step : way.steps) {
    if (step.instruction != instruction || step.why != why) continue;
    step.count += count;
    return;
  }
  way.steps.push_back({std::string(instruction), count, std::move(why), is_barrier});
}

}  // namespace detail
}  // namespace heddle::plan
