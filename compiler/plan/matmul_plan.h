// The plan of a matrix product on an AMD GPU. It decides the work of every workgroup, wave, lane
// and register before any code is written, and gives the reason for each decision. matmul_planner.h
// makes it. Code that needs an address computes it from the layouts of the plan (operand_plan.h).
#pragma once

#include <cstdint>

#include "compiler/plan/operand_plan.h"
#include "compiler/plan/product_plan.h"

namespace heddle::plan {

struct MatmulPlan
    : ProductPlan {  // tiles.stages: tiles of A and B in LDS, 1 or 2, with copies up to 4
  instruction::KOrder k_order = instruction::KOrder::contiguous;
  int pack = 1;  // instructions side by side in k that one fragment is for (packed_fragment)
  /// True if A and B are exchanged in the instruction, which then computes the transpose of D. The
  /// sums of a lane are then adjacent in a row of D, and are stored together.
  bool exchanged = false;
  int dies = 1;  // to whose workgroups tiles are given out (tile_on_dies); 1: in their order
  /// True if two halves of the workgroup's waves take turns ("ping-pong"): while one half
  /// multiplies, the other half loads and stores.
  bool ping_pong = false;
  OperandPlan a, b;
  RegisterEstimate registers;   // of one wave
  bool fragments_ahead = true;  // room for the next k atom's fragments besides the present ones

  /// True if A or B is copied from memory straight to LDS.
  bool has_copies() const { return a.is_copied() || b.is_copied(); }

  LaunchGrid grid() const {
    const LaunchNumber rows{1, {{{Loop::m, tiles.m}}}}, columns{1, {{{Loop::n, tiles.n}}}};
    const LaunchNumber parts{tiles.split_k, {{{Loop::batch, 1}}}};
    if (rows_on_x(tiles, problem)) return {rows, columns, parts};
    return {columns, rows, parts};
  }
  /// b_start() is the position in LDS, in elements, at which the first tile of B begins.
  /// lds_elements() is how many elements all tiles take together.
  std::uint32_t b_start() const {
    return static_cast<std::uint32_t>(a.chosen.placement.bytes *
                                      static_cast<std::uint64_t>(planes(problem))) /
           static_cast<std::uint32_t>(problem.element_bytes());
  }
  std::uint32_t lds_elements() const {
    return shared_bytes / static_cast<std::uint32_t>(problem.element_bytes());
  }

  /// Fragments along k of a block.
  int atoms_k() const { return tiles.k / (depth(*instruction, problem) * pack); }
  /// How many loads from LDS a wave makes for each of its matrix instructions, on average.
  double loads_per_instruction() const {
    const int a_loads = atoms_m() * fragment_loads(a);
    const int b_loads = atoms_n() * fragment_loads(b);
    return static_cast<double>(a_loads + b_loads) / (atoms_m() * atoms_n() * pack);
  }
  /// LDS loads of one fragment.
  static int fragment_loads(const OperandPlan& operand) {
    const auto& inputs = operand.fragment.inputs();
    return (1 << (inputs.bits_of("element") + inputs.bits_of("register"))) /
           operand.chosen.load_elements();
  }
};

}  // namespace heddle::plan
