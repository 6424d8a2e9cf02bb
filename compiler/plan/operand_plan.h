// The way of A or B: global memory -> registers -> LDS -> fragments of the matrix instruction.
//
// Every place is a linear layout, and every access follows from two of them:
//
//   fragment   (element, register, lane, k_atom, atom, warp) -> (m or n, k) in the block's tile
//   shared     offset -> (m or n, k), then padding
//   staging    (element, vector, lane, warp, step) -> (m or n, k)
//   loads      inverse(shared) ∘ fragment
//   stores     inverse(shared) ∘ staging
//
// operand_planner.h finds the shared layout and the staging; copied_operand.h does so if no
// register is on the way.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "compiler/plan/block_tile.h"
#include "compiler/plan/staging.h"
#include "heddle/instruction/target.h"
#include "heddle/layout/algebra.h"
#include "heddle/layout/subspace.h"
#include "heddle/plan/placed_tile.h"

namespace heddle::plan {

/// One layout of an operand in LDS, with its cost for one k step of the whole block.
struct SharedCandidate {
  Means means = Means::none;    // to what the layout was restricted
  Placement placement;          // the layout, and the costs of the stores and of the loads
  Staging staging;              // who stores what
  layout::LinearLayout stores;  // inverse(shared) ∘ staging
  layout::LinearLayout loads;   // inverse(shared) ∘ fragment
  int registers = 1;            // base registers of the loads or of the stores, whichever has more

  const memory::SharedLayout& shared() const { return placement.shared; }
  const PlacedAccess& store_cost() const { return placement.accesses[0]; }
  const PlacedAccess& load_cost() const { return placement.accesses[1]; }
  /// Elements of one LDS load of a lane: 8 for ds_load_b128.
  int load_elements() const { return 1 << load_cost().element_bits_log2; }

  /// The costs that are compared, most important first: passes and instructions of loads and
  /// stores; registers; how well global loads share cache lines; LDS bytes.
  auto price() const {
    return std::tuple(placement.passes, placement.instructions, registers, staging.segments,
                      placement.bytes);
  }
};

/// The way of a tile to LDS. `registers`: through registers. `pieces`: directly, in pieces; the
/// lanes of a wave load neighbours in LDS (buffer_load … lds). `tiles`: directly, by a wave's
/// descriptor of consecutive rows, with padding after a fixed number of bytes (tensor_load_to_lds).
enum class Copies : std::uint8_t { registers, pieces, tiles };

/// True if loads that copy pieces have a counter of their own, and each lane gives an address of
/// memory and one of LDS (global_load_async_to_lds): on gfx1250.
constexpr bool are_asynchronous(Copies copies, instruction::Target target) {
  return copies == Copies::pieces && instruction::row(target).copies_tiles;
}

struct OperandPlan {
  GlobalTile tile;
  Copies copies = Copies::registers;
  /// The reason that copies the planner would have preferred are impossible; empty if there are
  /// none.
  std::string why_not_copied;
  Patch patch;
  layout::LinearLayout fragment;
  /// True if LDS is contiguous along the rows, and loads transpose among lanes: `loads` then has
  /// the places that lanes give to the instruction.
  bool transposing = false;
  InTurn in_turn = {};  // how atoms take rows
  /// (element, lane, k_atom, atom, warp) -> (row, k): the scales of a lane. k counts blocks of
  /// scale_block elements. A register holds four scales or one. The layout is a point if the
  /// instruction reads no scales.
  layout::LinearLayout scales;
  SharedCandidate chosen;
  std::vector<SharedCandidate> others;  // what it was compared with, best first

  /// True if it goes from memory straight to LDS, without passing registers.
  bool is_copied() const { return copies != Copies::registers; }
};

/// The number of base registers for the accesses `offsets`, (…, lane, …, warp, …) -> offset. Each
/// way in which the constant part of an offset flips bits that also depend on lane or warp needs
/// one. It is 1 if the two parts share no bits: then an address is the sum of a register and an
/// immediate (SharedLayout::place).
constexpr int base_registers(const layout::LinearLayout& offsets) {
  const auto is_thread = [](const layout::AxisName& axis) {
    return axis == "lane" || axis == "warp";
  };
  std::uint64_t moving = 0;
  for (const layout::Axis& axis : offsets.inputs())
    for (int bit = 0; is_thread(axis.name) && bit < axis.bits; ++bit)
      moving |= offsets.basis(axis.name, bit, "offset");
  layout::Subspace flipped;
  for (const layout::Axis& axis : offsets.inputs())
    for (int bit = 0; !is_thread(axis.name) && bit < axis.bits; ++bit)
      flipped.add(offsets.basis(axis.name, bit, "offset") & moving);
  return 1 << flipped.dimension();
}

/// The number of groups of waves that could each copy the whole tile: 1 if each wave has a piece of
/// it. If there are several, all but the first copy zeros behind the tile in LDS, as often as the
/// first group copies. Waves wait for their copies by counting, so they need the same number.
constexpr int copying_groups(const layout::LinearLayout& staging) {
  const layout::AxisList& inputs = staging.inputs();
  const int first = inputs.offset(inputs.find("warp"));
  int groups = 1;
  for (int bit = 0; bit < inputs.bits_of("warp"); ++bit)
    if (staging.basis(first + bit) == 0) groups *= 2;
  return groups;
}

}  // namespace heddle::plan
