// The planner's answer for one conversion (heddle/plan/conversion.h), in C++20.
#pragma once

#include <optional>
#include <string>

#include "heddle/instruction/target.h"
#include "heddle/plan/lane_exchange.h"

namespace heddle::compiler {

struct ConversionPlan {
  /// (register, lane) of the destination -> of the source that holds its element.
  layout::LinearLayout source;
  /// How lanes exchange registers. Without one a lane needs several registers of another at once.
  std::optional<plan::LaneExchange> exchange;
  /// Swaps of registers and lanes that do it instead, where they are cheaper.
  std::optional<plan::LaneSwaps> swaps;
  /// Quarter cycles of a compute unit.
  std::uint64_t cost = 0;
  /// "nothing", "registers" or "lanes".
  std::string way;
};

/// Plans the way of a vector of elements of `element_bits` (1 to 64) from one layout to another,
/// inside a warp. Nothing if the source does not hold every element of the destination.
std::optional<ConversionPlan> plan_layout_conversion(const layout::LinearLayout& from,
                                                     const layout::LinearLayout& to,
                                                     instruction::Target target, int element_bits);

}  // namespace heddle::compiler
