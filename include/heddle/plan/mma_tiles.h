// Which instruction multiplies, and how large the tiles of a block are.
#pragma once

#include <expected>
#include <string>

#include "heddle/plan/fma_atom.h"
#include "heddle/plan/mma_plan.h"
#include "heddle/plan/split_k.h"

namespace heddle::plan {

/// The result's accumulators: (element, register, lane, atom_m, atom_n, warp) -> (m, n).
layout::LinearLayout tiled_mma_result(const layout::LinearLayout& fragment, const MmaPlan& plan);

/// The dense mma.sync of the target that multiplies most at once, with sums of f32, of i32 for
/// integers, of f64 for f64; multiply-adds where f32 is to be multiplied as it is. Or nullptr.
const instruction::Instruction* find_mma(const MmaRequest& request);

namespace detail {

/// Tiles of m x n that D has in a matrix of the batch.
constexpr std::int64_t tiles_of(const Problem& problem, int m, int n) {
  return (problem.m + m - 1) / m * ((problem.n + n - 1) / n);
}

/// Why there is no block of these tiles, and what there is; empty if there is.
std::string refusal(const MmaTiles& tiles, const MmaRequest& request,
                    const instruction::Instruction& mma);

}  // namespace detail

/// The tiles of a block: those that were asked for, and else the fastest by an estimate. `why` says
/// how. Error: sizes that cannot be.
std::expected<MmaTiles, std::string> choose_tiles(const MmaRequest& request,
                                                  const instruction::Instruction& mma,
                                                  std::string& why);

}  // namespace heddle::plan
