// Makes the plan of a matrix product for sm_90a, and says why.
//
//   auto plan = make_warpgroup_plan({.m = 4096, .n = 4096, .k = 4096});
//   if (!plan) std::cerr << plan.error();       // what wgmma or its copies do not take
//   for (const Choice& choice : explain(*plan)) print(choice.what, choice.value, choice.why);
#pragma once

#include <algorithm>
#include <expected>
#include <string>
#include <vector>

#include "compiler/plan/product_plan.h"
#include "compiler/plan/warpgroup_plan.h"
#include "heddle/layout/needs_cxx23.h"

namespace heddle::plan {

/// A message with the mistake in a plan whose numbers the user chose, and with what is accepted;
/// empty if there is no mistake.
std::string refusal(const WarpgroupPlan& plan);

/// Makes a plan. `asked` may fix the block, consumers, stages, cluster, split_k and group; the rest
/// is decided. Error: the part of the problem that wgmma, or the copies that feed it, cannot do
/// (mma.sync, mma_planner.h, can), or the mistake in `asked`.
std::expected<WarpgroupPlan, std::string> make_warpgroup_plan(const Problem& problem,
                                                              const PlanFields& asked = {});

/// Plans of the problem that are worth a measurement, at most `most`. The plan with the least
/// estimated time comes first. Plans have different blocks and different splits of k; each also
/// occurs with clusters of two blocks that share tiles. The last three plans are the first plan
/// with other group sizes.
std::vector<PlanFields> likely_plans(const Problem& problem, std::size_t most);

/// The decisions, each with its reason.
std::vector<Choice> explain(const WarpgroupPlan& plan);

}  // namespace heddle::plan
