// The plan of one layout conversion. heddle/plan/conversion.h, which needs C++23, finds it; this
// header is for code in C++20.
#pragma once

#include <optional>
#include <string>

#include "heddle/instruction/target.h"
#include "heddle/plan/lane_exchange.h"

namespace heddle::compiler {

struct ConversionPlan {
  /// Maps (register, lane) of the destination to the (register, lane) of the source that holds the
  /// same element.
  layout::LinearLayout source;
  /// How lanes exchange registers. Null if there is no exchange, because several lanes would read
  /// different registers of one lane at once.
  std::optional<plan::LaneExchange> exchange;
  /// Swaps of registers and lanes that do the same as `exchange`; null unless the swaps are
  /// cheaper.
  std::optional<plan::LaneSwaps> swaps;
  /// Quarter cycles of a compute unit.
  std::uint64_t cost = 0;
  /// "nothing", "registers" or "lanes".
  std::string way;
};

/// Plans the conversion of a vector from layout `from` to layout `to` in one warp. The elements
/// have `element_bits` bits (1 to 64). Null if some element that `to` requires is not held by any
/// lane in `from`.
std::optional<ConversionPlan> plan_layout_conversion(const layout::LinearLayout& from,
                                                     const layout::LinearLayout& to,
                                                     instruction::Target target, int element_bits);

}  // namespace heddle::compiler
