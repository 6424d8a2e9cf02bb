// Which instruction multiplies, and how large the tiles of a block are.
#pragma once

#include <expected>
#include <string>

#include "heddle/plan/fma_atom.h"
#include "heddle/plan/mma_plan.h"
#include "heddle/plan/split_k.h"

namespace heddle::plan {

/// Shared memory that one block may ask for, in bytes. Source: CUDA C++ Programming Guide 13.0,
/// "Technical Specifications per Compute Capability", maximum amount of shared memory per thread
/// block.
constexpr std::uint32_t most_shared_bytes_of(instruction::Target target) {
  using enum instruction::Target;
  switch (target) {
    case sm_75:
      return 64 * 1024;
    case sm_80:
    case sm_87:
      return 163 * 1024;
    case sm_86:
    case sm_89:
    case sm_120:
    case sm_121:
      return 99 * 1024;
    default:
      return 227 * 1024;
  }
}

/// Multiprocessors of the largest product of the target. Sources: NVIDIA A100, H100 (SXM) and L40
/// datasheets and architecture white papers; of what came later assumed as of H100.
constexpr int multiprocessors_of(instruction::Target target) {
  using enum instruction::Target;
  switch (target) {
    case sm_80:
      return 108;
    case sm_86:
      return 84;
    case sm_87:
      return 16;
    case sm_89:
      return 142;
    default:
      return 132;
  }
}

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
