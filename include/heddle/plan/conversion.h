// The cheapest way from one distributed layout of a tile to another: nothing, other names for
// registers, an exchange between the lanes of a warp, or through shared memory.
//
// Where does each register find its element? S = inverse(from) ∘ to maps (register, lane, warp) of
// the destination to the source. If the source holds copies there are several answers, and S takes
// the nearest: the same warp if possible, then the same lane. The way depends on the axes that S
// moves:
//
//   S moves              way                what it costs
//   nothing              nothing            -
//   registers            registers          packing of elements below 32 bits, if words change
//   and lanes            lanes              shuffles and selects (lane_exchange.h)
//   and warps            shared memory      stores, a barrier, loads (placement.h)
//
// If both of the last two ways are possible, both are planned. The cost of one warp is counted, not
// measured. It has two parts: passes through the pipeline of shared memory, of which a compute unit
// makes one a cycle, and instructions, of which it issues several a cycle (four on NVIDIA and CDNA,
// two on RDNA). Shuffles count as passes if the processor sends them through that pipeline. Other
// tiles cannot use the memory that a conversion takes. So shared memory is chosen only if it costs
// less than half as much as the exchange between lanes.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "heddle/instruction/target.h"
#include "heddle/plan/conversion_way.h"

namespace heddle::plan {

struct Conversion {
  layout::LinearLayout source;  // S: (register, lane, warp) of the destination -> of the source
  ConversionWay chosen;
  std::vector<ConversionWay> others;    // possible, and dearer
  std::vector<std::string> impossible;  // ways that were refused, and why
};

namespace detail {

/// S, as explained at the top, with the nearest sources: it gives each basis of `to` as a sum of
/// bases of `from`. If possible, the sum uses the bit of `from` that has the same axis and number
/// as the bit of `to`. Otherwise it prefers registers to lanes, and lanes to warps.
std::expected<layout::LinearLayout, std::string> nearest_source(const layout::LinearLayout& to,
                                                                const layout::LinearLayout& from);

}  // namespace detail

/// The largest number of elements in a lane for which plan_conversion plans. No GPU has so many
/// registers, and each costs the planner time.
inline constexpr std::uint64_t most_registers = 1 << 16;

/// Plans the conversion of a tile from one distributed layout to another. The layouts are maps
/// (register, lane, warp, block) -> (dim0, dim1, …); a map may lack axes, which then have size 1.
///
/// Preconditions: element_bits is 4, 8, 16, 32 or 64. Errors: more elements in a lane than
/// most_registers; tiles that differ; numbers of lanes, warps or thread blocks that differ; another
/// number of lanes than the processor's waves have; an element that the source does not hold;
/// elements that move between thread blocks.
std::expected<Conversion, std::string> plan_conversion(const layout::LinearLayout& from_map,
                                                       const layout::LinearLayout& to_map,
                                                       instruction::Target target,
                                                       int element_bits);

}  // namespace heddle::plan
