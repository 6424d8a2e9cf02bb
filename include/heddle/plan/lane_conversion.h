// The way without memory: the instructions of an exchange between lanes on each processor.
//
//     exchange   in each round every lane sends a register and receives one; selects before and
//                after choose which
//     swaps      v_permlane16_swap (gfx950, gfx1250) and v_permlane32_swap (gfx950) exchange a bit
//                of the lane's number with one of the register's, without selects
#pragma once

#include <optional>
#include <span>

#include "heddle/instruction/target.h"
#include "heddle/plan/conversion_way.h"

namespace heddle::plan::detail {

/// Byte permutes, which take the elements of a 32-bit register from two others.
struct Packing {
  std::uint64_t full = 1;      // elements in a 32-bit register
  std::uint64_t together = 1;  // elements that travel together
  std::uint64_t before = 0;    // permutes for each register that travels
  std::uint64_t after = 0;     // permutes for each register of the destination
};
Packing packing_of(const LaneExchange& exchange, int element_bits);

/// The way without memory: renaming, selects and shuffles.
ConversionWay lane_way(const instruction::ProcessorRow& processor, const LaneExchange& exchange,
                       int element_bits);

/// Which bits of the lane the processor swaps with one of the register.
std::span<const int> swapped_lane_bits(instruction::Family family);

/// The way without memory by swaps alone; nothing if there is none.
std::optional<ConversionWay> swap_way(const instruction::ProcessorRow& processor,
                                      const layout::LinearLayout& s, int element_bits);

/// The cheaper of both ways without memory. `exchange` may be null.
std::optional<ConversionWay> cheapest_lane_way(const instruction::ProcessorRow& processor,
                                               const layout::LinearLayout& s,
                                               const LaneExchange* exchange, int element_bits);

}  // namespace heddle::plan::detail
