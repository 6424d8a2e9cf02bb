// What the plans of kernels have in common in which all warps do the same work, whatever
// instruction multiplies (matmul_plan.h, mma_plan.h): the problem, the tiling, the sums, and the
// parts of k.
//
// A plan is data for three purposes: the compiler makes a kernel from it, tests examine its maps,
// and the user reads its reasons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/plan/launch_grid.h"
#include "compiler/plan/split_memory.h"
#include "compiler/plan/tiling.h"
#include "heddle/instruction/fragment.h"
#include "heddle/instruction/instruction.h"

namespace heddle::plan {

/// One decision of the planner, as it is shown to the user: what is decided, the value, and the
/// reason, as in {"block", "128x128x32", "the largest …"}.
struct Choice {
  std::string what;
  std::string value;
  std::string why;
};

/// Decisions of the user, from a plan file (compiler/plan_file.h). If a field is 0 or empty, the
/// planner decides.
struct PlanFields {
  int block_m = 0, block_n = 0, block_k = 0;  // elements
  int warps_m = 0, warps_n = 0;
  int stages = 0;                    // tiles of A and B in shared memory
  int group = 0;                     // rows of blocks, or of clusters, that run side by side
  int split_k = 0;                   // blocks that share the k of one tile of D
  int blocks = 0;                    // of a matrix of the batch; each computes tiles of D
  int consumers = 0;                 // warpgroups that multiply
  int cluster_m = 0, cluster_n = 0;  // blocks
  std::string instruction{};         // the one that a kernel must be made of
  std::string copies{};              // how AMD's tiles come to LDS: "direct" or "registers"
  std::string computes{};            // of wgmma: "D", or "D^T", whose block it then is
  std::string schedule{};            // of AMD's waves: "ping-pong" or "together"
  friend bool operator==(const PlanFields&, const PlanFields&) = default;
};

/// Into how many parts `steps` steps along k can be cut: the largest power of two, at most `most`,
/// for which every part has at least `least_steps` steps and no part is empty. Precondition:
/// `least_steps` is at least 1.
constexpr int splits_of(std::int64_t steps, std::int64_t most, std::int64_t least_steps) {
  int splits = 1;
  while (2 * splits <= most) {
    const std::int64_t part = (steps + 2 * splits - 1) / (2 * splits);
    if (part < least_steps || part * (2 * splits - 1) >= steps) break;
    splits *= 2;
  }
  return splits;
}

struct ProductPlan {
  Problem problem;
  instruction::Target target{};
  const instruction::Instruction* instruction = nullptr;  // never null in a plan
  Tiling tiles;
  layout::LinearLayout result;     // (…, register, lane, atom_m, atom_n, warp) -> (m, n)
  std::uint32_t shared_bytes = 0;  // of a block
  std::vector<Choice> choices;

  int atoms_m() const { return tiles.m / tiles.warps_m / instruction->m; }  // of a warp
  int atoms_n() const { return tiles.n / tiles.warps_n / instruction->n; }
  int atoms_k() const { return tiles.k / instruction->k; }
  std::int64_t blocks_m() const { return tiles.blocks_m(problem); }
  std::int64_t blocks_n() const { return tiles.blocks_n(problem); }
  std::int64_t tiles_of_d() const { return blocks_m() * blocks_n() * problem.batch; }

  /// The k of one part if k is split, in whole steps. The part of the last workgroup of a tile may
  /// be shorter.
  std::int64_t part_k() const {
    return (tiles.k_steps(problem) + tiles.split_k - 1) / tiles.split_k * tiles.k;
  }
  SplitMemory split_memory() const {
    const auto registers = static_cast<std::int64_t>(result.input_size("register"));
    const int sum_words = instruction::bits(problem.sum_type()) / 32;
    return {tiles_of_d(), tiles.split_k,
            std::int64_t{tiles.threads()} * atoms_m() * atoms_n() * registers * sum_words};
  }
};

}  // namespace heddle::plan
