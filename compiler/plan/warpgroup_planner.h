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

/// The mistake in a plan whose numbers somebody chose and the right choice; empty if there is none.
std::string refusal(const WarpgroupPlan& plan);

/// Decides everything except the block, consumers, stages, cluster, split_k and group that `asked`
/// has. Error: the part of the problem that wgmma, or the copies that feed it, cannot do (mma.sync,
/// mma_planner.h, can), or the mistake in the fields.
std::expected<WarpgroupPlan, std::string> make_warpgroup_plan(const Problem& problem,
                                                              const PlanFields& asked = {});

/// Plans of the problem that are worth a measurement, the one with the least estimated time first:
/// up to `most`, of different blocks and parts of k, each also with tiles that two blocks share.
/// The last three are the first plan with other numbers of rows in a group.
std::vector<PlanFields> likely_plans(const Problem& problem, std::size_t most);

/// The decisions, each with its reason.
std::vector<Choice> explain(const WarpgroupPlan& plan);

}  // namespace heddle::plan
