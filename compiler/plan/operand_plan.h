// How A or B gets from memory to the matrix instruction: global memory -> registers -> LDS ->
// fragments.
//
// Every place is a linear layout, and every access is computed from two of these layouts:
//
//   fragment   (element, register, lane, k_atom, atom, warp) -> (m or n, k) in the block's tile
//   shared     offset -> (m or n, k), then padding
//   staging    (element, vector, lane, warp, step) -> (m or n, k)
//   loads      inverse(shared) ∘ fragment
//   stores     inverse(shared) ∘ staging
//
// operand_planner.h chooses the layouts `shared` and `staging`. If the operand is copied straight
// to LDS, without registers, copied_operand.h chooses them.
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

/// One possible layout of an operand in LDS, and what the workgroup's stores and loads of one step
/// along k cost with it.
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
  /// How many elements a lane loads from LDS with one instruction: 8 (of 16 bits) with
  /// ds_load_b128.
  int load_elements() const { return 1 << load_cost().element_bits_log2; }

  /// The costs by which candidates are compared, the most important first: passes of stores and
  /// loads, their instructions, base registers, the cache-line segments that loads from global
  /// memory touch, and bytes of LDS.
  auto price() const {
    return std::tuple(placement.passes, placement.instructions, registers, staging.segments,
                      placement.bytes);
  }
};

/// How a tile gets to LDS:
/// - `registers`: it is loaded into registers and stored to LDS.
/// - `pieces`: straight to LDS; with one instruction each lane copies some bytes, and the bytes of
/// a wave's lanes are contiguous in LDS (buffer_load … lds).
/// - `tiles`: straight to LDS, by a tile descriptor for each wave, which copies consecutive rows
/// and adds padding after a fixed number of bytes (tensor_load_to_lds).
enum class Copies : std::uint8_t { registers, pieces, tiles };

/// True if copies of pieces are asynchronous loads (global_load_async_to_lds), as on gfx1250: the
/// hardware counts them with a separate counter, and each lane gives an address in global memory
/// and an address in LDS.
constexpr bool are_asynchronous(Copies copies, instruction::Target target) {
  return copies == Copies::pieces && instruction::row(target).copies_tiles;
}

struct OperandPlan {
  GlobalTile tile;
  Copies copies = Copies::registers;
  /// The reason why the operand is not copied in a way that the planner would have preferred. Empty
  /// if there is no way that it would have preferred.
  std::string why_not_copied;
  Patch patch;
  layout::LinearLayout fragment;
  /// True if the operand is contiguous along its rows in LDS, and fragments are loaded by an
  /// instruction that transposes among lanes. `loads` then has the places whose addresses the lanes
  /// give to this instruction.
  bool transposing = false;
  InTurn in_turn = {};  // how atoms take rows
  /// Which scales a lane has: (element, lane, k_atom, atom, warp) -> (row, k), where k counts
  /// blocks of scale_block elements. A register has four scales or one. If the instruction reads no
  /// scales, the map has no input or output bits.
  layout::LinearLayout scales;
  SharedCandidate chosen;
  std::vector<SharedCandidate> others;  // what it was compared with, best first

  /// True if the operand is copied from memory straight to LDS, without registers.
  bool is_copied() const { return copies != Copies::registers; }
};

/// The number of base registers that a thread needs for the accesses `offsets`: (…, lane, …, warp,
/// …) -> offset. An offset is a part that depends on lane and warp, xor a constant part. If the
/// constant part has bits that the other part has, too, each combination of such bits needs a base
/// register. If it has none, one base register is enough, since an address is then a register plus
/// a constant (SharedLayout::place).
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

/// If the tile needs fewer waves than there are, the waves form groups, each of which could copy
/// the whole tile. Returns the number of such groups; 1: all waves are needed. The first group
/// copies the tile. The other groups make as many copies, but copy zeros to places behind the tile
/// in LDS: waves wait for copies by counting them, so all waves must make the same number.
constexpr int copying_groups(const layout::LinearLayout& staging) {
  const layout::AxisList& inputs = staging.inputs();
  const int first = inputs.offset(inputs.find("warp"));
  int groups = 1;
  for (int bit = 0; bit < inputs.bits_of("warp"); ++bit)
    if (staging.basis(first + bit) == 0) groups *= 2;
  return groups;
}

}  // namespace heddle::plan
