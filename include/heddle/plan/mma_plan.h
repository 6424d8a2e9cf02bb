// The plan of a matrix product on NVIDIA's warp-level tensor cores (mma.sync): blocks, warps, the
// pipeline of copies, and where A and B lie in shared memory. mma_planner.h makes it.
//
//   global memory --cp.async--> shared memory --ldmatrix--> fragments --mma.sync--> accumulators
//
// What cp.async cannot do, because elements change on their way or rows are not aligned, registers
// do: loads, operations, stores.
//
// Every place is a linear layout, and every access follows from two of them:
//
//   fragment   (element, register, lane, k_atom, atom, warp) -> (m or n, k) in the block's tile
//   shared     offset -> (m or n, k), then padding
//   staging    (element, lane, warp, step) -> (m or n, k): who copies what
//   stores     inverse(shared) ∘ staging
//   loads      inverse(shared) ∘ fragment; of ldmatrix: ∘ the rows whose addresses the lanes give
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/instruction/fragment.h"
#include "heddle/instruction/instruction.h"
#include "heddle/layout/algebra.h"
#include "heddle/plan/matmul_plan.h"
#include "heddle/plan/placed_tile.h"
#include "heddle/plan/split_k.h"

namespace heddle::plan {

/// How much one block computes at a time, how its warps share it, and how many tiles are on their
/// way. m, n, k, warps and stages as in the plan file (compiler/plan_file.h); 0: not chosen yet.
struct MmaTiles {
  int m = 0, n = 0, k = 0;       // of a block; powers of two
  int warps_m = 0, warps_n = 0;  // powers of two
  int stages = 0;                // tiles of A and B in shared memory, at least 2
  int group = 0;                 // rows of blocks that run side by side, for L2
  int split_k = 0;               // blocks that share the k of one tile of D
  int blocks = 0;                // of a matrix of the batch, each for one tile of D or several; 0
                                 // where sizes are dynamic: one for each
  friend constexpr bool operator==(const MmaTiles&, const MmaTiles&) = default;

  constexpr int warps() const { return warps_m * warps_n; }
  constexpr int threads() const { return 32 * warps(); }
};

/// What a plan for mma.sync is made for, beside the problem.
struct MmaRequest {
  Problem problem;
  instruction::Target target{};
  instruction::ElementType multiply{};    // what the instruction multiplies: the input, or xf32
  instruction::ElementType multiply_b{};  // of B
  bool a_k_contiguous = true;             // A row-major
  bool b_k_contiguous = false;            // B row-major is contiguous along n
  int a_alignment = 16;                   // bytes that divide the start of every row
  int b_alignment = 16;
  bool a_checked = false;  // rows of A may be aligned to 16 bytes, which the kernel finds out
  bool b_checked = false;
  bool a_computes = false;  // elements of A are operated on before they are multiplied
  bool b_computes = false;
  MmaTiles asked = {};  // fields that are not 0 are kept
};

/// How A or B travels.
struct MmaOperandPlan {
  layout::AxisName row = "m";          // the axis beside k: m of A, n of B
  bool k_contiguous = true;            // neighbours in global memory are neighbours along k
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

  int element_bits() const { return instruction::bits(element); }
  int stored_bytes() const { return instruction::bits(stored) / 8; }
  int copy_elements() const { return copy_bytes * 8 / element_bits(); }
  const memory::SharedLayout& shared() const { return placement.shared; }
};

struct MmaPlan {
  Problem problem;
  instruction::Target target{};
  const instruction::Instruction* instruction = nullptr;  // never null in a plan
  MmaTiles tiles;
  MmaOperandPlan a, b;
  layout::LinearLayout result;     // (element, register, lane, atom_m, atom_n, warp) -> (m, n)
  std::uint32_t stage_bytes = 0;   // of A and B together
  std::uint32_t shared_bytes = 0;  // of a block
  std::vector<Choice> choices;

  int atoms_m() const { return tiles.m / tiles.warps_m / instruction->m; }  // of a warp
  int atoms_n() const { return tiles.n / tiles.warps_n / instruction->n; }
  int atoms_k() const { return tiles.k / instruction->k; }
  std::int64_t blocks_m() const { return blocks_m(problem); }
  std::int64_t blocks_n() const { return blocks_n(problem); }
  std::int64_t k_steps() const { return (problem.k + tiles.k - 1) / tiles.k; }
  /// For a problem of these sizes.
  std::int64_t blocks_m(const Problem& sizes) const { return (sizes.m + tiles.m - 1) / tiles.m; }
  std::int64_t blocks_n(const Problem& sizes) const { return (sizes.n + tiles.n - 1) / tiles.n; }
  bool has_one_tile_each() const {
    return problem.dynamic != 0 || tiles.blocks == blocks_m() * blocks_n();
  }
  LaunchGrid grid() const {
    const LaunchNumber each{1, {{{Loop::m, tiles.m}, {Loop::n, tiles.n}}}};
    return {has_one_tile_each() ? each : LaunchNumber{tiles.blocks},
            LaunchNumber{1, {{{Loop::batch, 1}}}}, LaunchNumber{tiles.split_k}};
  }

  /// The k of one block, but of the last of a tile: whole steps.
  std::int64_t part_k() const { return (k_steps() + tiles.split_k - 1) / tiles.split_k * tiles.k; }
  /// 32-bit sums that the parts of a tile leave for the last of them, for each part.
  std::int64_t part_words() const {
    return std::int64_t{tiles.threads()} * atoms_m() * atoms_n() *
           static_cast<std::int64_t>(result.input_size("register"));
  }
  std::int64_t tiles_of_d() const { return blocks_m() * blocks_n() * problem.batch; }
  /// Of the memory in which the parts of all tiles meet.
  std::int64_t workspace_bytes() const {
    return split_bytes(tiles_of_d(), tiles.split_k, part_words());
  }
};

}  // namespace heddle::plan
