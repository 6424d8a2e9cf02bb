// Makes the plan of attention in one kernel.
#pragma once

#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "compiler/plan/attention_plan.h"
#include "compiler/plan/warpgroup_attention.h"

namespace heddle::plan {

struct AttentionRequest {
  Problem problem;         // m queries, k keys, n columns of V; the type that is multiplied
  std::int64_t depth = 0;  // of Q and K
  instruction::Target target{};
  PlanFields asked = {};  // block_m (of wgmma), block_k, warps and split_k are kept
  // Of wgmma: the blocks of keys, and how many each tile of a matrix sees.
  CountKeyBlocks count = {};
  std::function<std::vector<std::int64_t>(const KeyBlockSizes&)> of_tiles = {};
  bool has_formula = false;  // more is done to each score than a factor and masks
  bool reads = false;        // elements are read for each score
};

/// True if warps and blocks that divide the keys are faster on sm_90a than wgmma, whose tiles of
/// 128 queries have all keys: few rows, which memory bounds, or fewer tiles than half the
/// processors (bench/records/nvidia_attention.md).
constexpr bool has_few_queries(const Problem& problem) {
  const std::int64_t tiles = (problem.m + 127) / 128 * problem.batch;
  return (problem.m <= 64 && problem.k >= 512) ||
         (2 * tiles < hopper.multiprocessors && problem.k >= 2048);
}

/// Error: why there is no such kernel.
std::expected<AttentionPlan, std::string> make_attention_plan(const AttentionRequest& request);

/// The same for sm_90a, by wgmma.
std::expected<WarpgroupAttentionPlan, std::string> make_warpgroup_attention(
    const AttentionRequest& request);

}  // namespace heddle::plan
