// What the user reads of a plan for AMD: its decisions, each with its reason.
#pragma once

#include <string>

#include "compiler/plan/matmul_plan.h"

namespace heddle::plan {

/// Fills the choices of a plan that is made but for them. `together_why`: why the waves do not
/// change places, where they could.
void explain(MatmulPlan& plan, const std::string& together_why);

}  // namespace heddle::plan
