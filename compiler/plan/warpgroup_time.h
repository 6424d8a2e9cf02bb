// How long a kernel of wgmma takes, estimated from its plan: what the planner compares plans by.
#pragma once

#include "compiler/plan/warpgroup_plan.h"

namespace heddle::plan {

/// The estimated time of the plan's kernel in microseconds, for the problem's dynamic sizes.
double estimated_time(const WarpgroupPlan& plan);

/// The most stages that shared memory holds, 0 to most_stages.
int stages_that_fit(WarpgroupPlan plan);

/// True if the lines that copies bring begin at multiples of 128 bytes.
bool has_whole_lines(const WarpgroupPlan& plan, instruction::Operand operand);

}  // namespace heddle::plan
