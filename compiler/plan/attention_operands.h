// Where attention has K, V and Q in shared memory, who copies them there and who reads them.
#pragma once

#include "compiler/plan/attention_plan.h"

namespace heddle::plan {

/// Places the operands of the plan, whose instruction, warps, queries and keys are chosen, and
/// counts its shared memory. If `column_warps` share queries it also divides K and V into tiles, of
/// which these warps have equal parts, and counts their instructions. False: there is no layout.
bool place_operands(AttentionPlan& plan);

}  // namespace heddle::plan
