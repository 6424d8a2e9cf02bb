// Writes the decisions of a plan for AMD as text, each with its reason.
#pragma once

#include <string>

#include "compiler/plan/matmul_plan.h"

namespace heddle::plan {

/// Fills `choices` of a plan that is otherwise complete. `together_why` is the reason why the waves
/// do not take turns (ping-pong) although they could.
void explain(MatmulPlan& plan, const std::string& together_why);

}  // namespace heddle::plan
