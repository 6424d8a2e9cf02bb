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
  // Only for wgmma. `count` counts the blocks of keys that all tiles of queries need; `of_tiles`
  // returns, for each tile of one matrix, how many blocks it sees.
  CountKeyBlocks count = {};
  std::function<std::vector<std::int64_t>(const KeyBlockSizes&)> of_tiles = {};
  bool has_formula = false;  // more is done to each score than a factor and masks
  bool reads = false;        // elements are read for each score
};

/// True if, on sm_90a, a kernel in which warps and thread blocks divide the keys is faster than a
/// kernel of wgmma, in which each tile of 128 queries has all keys. That is so if there are few
/// rows, where memory is the limit, or if there are fewer tiles than half the multiprocessors
/// (bench/records/nvidia_attention.md).
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
