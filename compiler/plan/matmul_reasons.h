// The text of a plan for AMD: its decisions, each with its reason.
#pragma once

#include <string>

#include "compiler/plan/matmul_plan.h"

namespace heddle::plan {

/// Fills the choices of a plan that is otherwise complete. `together_why`: the reason that waves do
/// not take turns, if they could.
void explain(MatmulPlan& plan, const std::string& together_why);

}  // namespace heddle::plan
