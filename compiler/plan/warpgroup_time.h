// Estimates the time of a kernel with wgmma from its plan. The planner compares plans by this time.
#pragma once

#include "compiler/plan/warpgroup_plan.h"

namespace heddle::plan {

/// The estimated time of the plan's kernel in microseconds, for the sizes in plan.problem; a
/// dynamic size counts with the value that it has there.
double estimated_time(const WarpgroupPlan& plan);

/// The most stages that shared memory holds, 0 to most_stages.
int stages_that_fit(WarpgroupPlan plan);

/// True if all rows (or columns) of the operand that copies read begin at multiples of 128 bytes in
/// global memory.
bool has_whole_lines(const WarpgroupPlan& plan, instruction::Operand operand);

}  // namespace heddle::plan
