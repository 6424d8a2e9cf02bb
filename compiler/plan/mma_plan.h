// The plan of a matrix product on NVIDIA's warp-level tensor cores (mma.sync): thread blocks,
// warps, the pipeline of copies, and where A and B lie in shared memory. mma_planner.h makes it.
//
//   global memory --cp.async--> shared memory --ldmatrix--> fragments --mma.sync--> accumulators
//
// cp.async copies aligned rows and cannot change elements. If rows are not aligned, or elements are
// changed, elements are loaded into registers, changed, and stored to shared memory.
//
// Every place is a linear layout, and every access is computed from two of these layouts:
//
//   fragment   (element, register, lane, k_atom, atom, warp) -> (m or n, k) in the block's tile
//   shared     offset -> (m or n, k), then padding
//   staging    (element, lane, warp, step) -> (m or n, k): who copies what
//   stores     inverse(shared) ∘ staging
//   loads      inverse(shared) ∘ fragment; of ldmatrix: ∘ the rows whose addresses the lanes give
#pragma once

#include <cstdint>

#include "compiler/plan/product_plan.h"
#include "heddle/plan/placed_tile.h"

namespace heddle::plan {

/// The input of a plan for mma.sync, besides the problem.
struct MmaRequest {
  Problem problem;
  instruction::Target target{};
  instruction::ElementType multiply{};    // what the instruction multiplies: the input, or xf32
  instruction::ElementType multiply_b{};  // of B
  int a_alignment = 16;                   // bytes that divide the start of every row
  int b_alignment = 16;
  bool a_checked = false;  // rows of A may be aligned to 16 bytes, which the kernel finds out
  bool b_checked = false;
  bool a_computes = false;  // elements of A are operated on before they are multiplied
  bool b_computes = false;
  Tiling asked = {};  // fields that are not 0 are kept
};

/// How A or B gets to the tensor cores.
struct MmaOperandPlan {
  layout::AxisName row = "m";          // the axis other than k: m of A, n of B
  bool k_contiguous = true;            // neighbours in global memory are neighbours along k
  bool transposes = false;             // … and in shared memory along the other axis
  instruction::ElementType element{};  // as it is multiplied, in shared memory
  instruction::ElementType stored{};   // in global memory
  int rows = 0, k = 0;                 // of the block's tile
  int copy_bytes = 16;                 // of one copy in shared memory: 16, 8 or 4
  int access_elements = 8;             // of one access to global memory; a copy is one or several
  bool computes = false;               // elements are operated on between the two memories
  bool by_registers = false;      // no cp.async: it computes, or rows are not aligned to 4 bytes
  bool checks_alignment = false;  // rows may also be unaligned: then each element is an access
  layout::LinearLayout staging;
  layout::LinearLayout fragment;
  Move move = Move::ldmatrix;
  Placement placement;
  layout::LinearLayout stores;
  layout::LinearLayout loads;  // (…, lane, warp) -> offset: see fetch_axes
  int fetched_registers = 0;   // of one ldmatrix, or one plain load
  int load_elements = 1;       // of a plain load

  /// True if elements that are adjacent in shared memory are adjacent along k.
  bool k_contiguous_in_tile() const { return k_contiguous && !transposes; }
  int element_bits() const { return instruction::bits(element); }
  int stored_bytes() const { return instruction::bits(stored) / 8; }
  int copy_elements() const { return copy_bytes * 8 / element_bits(); }
  const memory::SharedLayout& shared() const { return placement.shared; }
};

struct MmaPlan : ProductPlan {  // tiles.stages: at least 2
  MmaOperandPlan a, b;
  std::uint32_t stage_bytes = 0;  // of A and B together

  bool has_one_tile_each() const {
    return problem.dynamic != 0 || tiles.blocks == blocks_m() * blocks_n();
  }
  LaunchGrid grid() const {
    const LaunchNumber each{1, {{{Loop::m, tiles.m}, {Loop::n, tiles.n}}}};
    return {has_one_tile_each() ? each : LaunchNumber{tiles.blocks},
            LaunchNumber{1, {{{Loop::batch, 1}}}}, LaunchNumber{tiles.split_k}};
  }
};

}  // namespace heddle::plan
