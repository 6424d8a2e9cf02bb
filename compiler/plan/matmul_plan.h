// The tile plan of a matrix product on an AMD GPU: the work of every workgroup, wave, lane and
// register, decided before any code is written, and each decision with its reason. matmul_planner.h
// makes it. Code that needs an address derives it from the same layouts (operand_plan.h).
#pragma once

#include <cstdint>

#include "compiler/plan/operand_plan.h"
#include "compiler/plan/product_plan.h"

namespace heddle::plan {

struct MatmulPlan
    : ProductPlan {  // tiles.stages: tiles of A and B in LDS, 1 or 2, with copies up to 4
  instruction::KOrder k_order = instruction::KOrder::contiguous;
  int pack = 1;  // instructions side by side in k that one fragment is for (packed_fragment)
  /// A and B change places in the instruction, which then computes D transposed: the sums of a lane
  /// are neighbours in a row of D and are stored together.
  bool exchanged = false;
  int dies = 1;  // to whose workgroups tiles are given out (tile_on_dies); 1: in their order
  /// Two halves of the waves take turns: one multiplies while the other loads and stores.
  bool ping_pong = false;
  OperandPlan a, b;
  RegisterEstimate registers;   // of one wave
  bool fragments_ahead = true;  // room for the next k atom's fragments besides the present ones

  /// True if A or B goes from memory straight to LDS.
  bool has_copies() const { return a.is_copied() || b.is_copied(); }

  LaunchGrid grid() const {
    const LaunchNumber rows{1, {{{Loop::m, tiles.m}}}}, columns{1, {{{Loop::n, tiles.n}}}};
    const LaunchNumber parts{tiles.split_k, {{{Loop::batch, 1}}}};
    if (rows_on_x(tiles, problem)) return {rows, columns, parts};
    return {columns, rows, parts};
  }
  /// The first element of B's tile in shared memory, and the elements of all tiles together.
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
  /// LDS loads of one wave for each of its matrix instructions.
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
