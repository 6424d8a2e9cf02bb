// What the user reads of a plan for AMD: its decisions, each with its reason.
#pragma once

#include "heddle/plan/matmul_plan.h"

namespace heddle::plan {

/// Fills the choices of a plan that is made but for them.
void explain(MatmulPlan& plan);

}  // namespace heddle::plan
