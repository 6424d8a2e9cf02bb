// Makes the plan of attention in one kernel.
#pragma once

#include <expected>
#include <string>

#include "compiler/plan/attention_plan.h"
#include "compiler/plan/warpgroup_attention.h"

namespace heddle::plan {

struct AttentionRequest {
  Problem problem;         // m queries, k keys, n columns of V; the type that is multiplied
  std::int64_t depth = 0;  // of Q and K
  instruction::Target target{};
  PlanFields asked = {};  // block_m, block_k, warps_m, warps_n and split_k are kept
  CountKeyBlocks count = {};  // of wgmma
};

/// True for a step of decoding: memory bounds it, and warps and blocks divide the keys.
constexpr bool has_few_queries(const Problem& problem) {
  return problem.m <= 64 && problem.k >= 512;
}

/// Error: why there is no such kernel.
std::expected<AttentionPlan, std::string> make_attention_plan(const AttentionRequest& request);

/// The same for sm_90a, by wgmma.
std::expected<WarpgroupAttentionPlan, std::string> make_warpgroup_attention(
    const AttentionRequest& request);

}  // namespace heddle::plan
