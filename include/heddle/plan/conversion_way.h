// The instructions of a way from one distributed layout to another, and their cost.
//
//     way         what moves an element                     what it costs
//     nothing     nothing: both layouts are the same map    0
//     registers   another name for a register               0
//     lanes       shuffles or swaps between lanes           shuffles and selects of registers
//     shared      a store and a load of shared memory       passes of the banks, perhaps a barrier
//
// Costs are in quarter cycles of a compute unit: an instruction that a unit can issue four times in
// a cycle costs 1. Costs are for comparing ways; they do not predict a time.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/plan/lane_exchange.h"
#include "heddle/plan/placement.h"

namespace heddle::plan {

/// A way through shared memory: the tile goes through a buffer, all at once or part by part.
struct SharedExchange {
  /// Element of the tile -> (part, element): which part holds it, and its number there.
  layout::LinearLayout parts;
  std::array<TileAccess, 2> accesses;  // of one part: the stores, the loads; maps to `element`
  Placement placement;                 // of one part
};

enum class Way : std::uint8_t { nothing, registers, lanes, shared };

constexpr std::string_view name(Way way) {
  constexpr std::array<std::string_view, 4> names{"nothing", "registers", "lanes", "shared memory"};
  return names[static_cast<std::size_t>(way)];
}

/// One line in the list of instructions that a warp executes for a conversion.
struct ConversionStep {
  std::string instruction;  // its mnemonic, or what it does
  std::uint64_t count = 0;  // executed by one warp
  std::string why;
  bool is_barrier = false;
};

/// One way and its cost. `way` says which optional fields are set: Way::lanes and Way::registers
/// have an exchange or swaps, Way::shared has a buffer.
struct ConversionWay {
  Way way = Way::nothing;
  std::vector<ConversionStep> steps;
  std::optional<LaneExchange> exchange;  // of Way::lanes and Way::registers
  std::optional<LaneSwaps> swaps;        // of Way::lanes, where it has no selects
  std::optional<SharedExchange> buffer;  // of Way::shared
  std::uint64_t shuffles = 0;
  std::uint64_t shared_bytes = 0;  // of the block
  std::uint64_t passes = 0;        // of shared memory, one warp
  bool needs_barrier = false;      // of the block; a warp alone waits for its own accesses only
  std::uint64_t issue_cost = 1;    // quarter cycles of an instruction

  std::uint64_t instructions() const {
    std::uint64_t sum = 0;
    for (const ConversionStep& step : steps) sum += step.count;
    return sum;
  }
  /// The cost in quarter cycles of a compute unit: `issue_cost` for each instruction, and four for
  /// each pass.
  std::uint64_t cost() const { return instructions() * issue_cost + 4 * passes; }
};

namespace detail {

inline constexpr std::array<layout::AxisName, 4> distributed_axes{"register", "lane", "warp",
                                                                  "block"};

/// `map` with exactly the input axes register, lane, warp and block, in this order. An axis that
/// `map` lacks gets size 1.
layout::LinearLayout with_all_axes(const layout::LinearLayout& map);

void add_step(ConversionWay& way, std::string_view instruction, std::uint64_t count,
              std::string why, bool is_barrier = false);

}  // namespace detail

}  // namespace heddle::plan
