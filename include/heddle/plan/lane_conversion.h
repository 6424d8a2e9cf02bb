// Conversions without shared memory: the instructions by which each processor exchanges elements
// between lanes. There are two kinds:
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

/// The byte permutes of an exchange of narrow elements. A byte permute makes a 32-bit register from
/// the elements of two others.
struct Packing {
  std::uint64_t full = 1;      // elements in a 32-bit register
  std::uint64_t together = 1;  // elements that travel together
  std::uint64_t before = 0;    // permutes for each register that travels
  std::uint64_t after = 0;     // permutes for each register of the destination
};
Packing packing_of(const LaneExchange& exchange, int element_bits);

/// The conversion without shared memory by an exchange: it renames registers, selects and shuffles.
ConversionWay lane_way(const instruction::ProcessorRow& processor, const LaneExchange& exchange,
                       int element_bits);

/// The bits of the lane number that the processor can swap with a bit of the register number.
std::span<const int> swapped_lane_bits(instruction::Family family);

/// The conversion by swaps alone, without shared memory. Empty if swaps alone cannot do it.
std::optional<ConversionWay> swap_way(const instruction::ProcessorRow& processor,
                                      const layout::LinearLayout& s, int element_bits);

/// The cheaper of lane_way and swap_way. `exchange` may be null: then only swaps are possible.
/// Empty if neither way is possible.
std::optional<ConversionWay> cheapest_lane_way(const instruction::ProcessorRow& processor,
                                               const layout::LinearLayout& s,
                                               const LaneExchange* exchange, int element_bits);

}  // namespace heddle::plan::detail
