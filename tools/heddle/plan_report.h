// A tile plan as a person and as a program read it.
#pragma once

#include <llvm/Support/JSON.h>

#include <string>

#include "heddle/plan/matmul_plan.h"

namespace heddle::tool {

/// "42x64x32 (m n k), f16 x f16 -> f32".
std::string problem_text(const plan::Problem& problem);

/// How much of each decision's `why` is told: all, or its first clause (up to the first semicolon).
enum class PlanDetail { first_reason, all_reasons };

/// One paragraph a decision: what, value, why; wrapped to `width` columns, ending in a newline.
std::string plan_text(const plan::MatmulPlan& plan, PlanDetail detail, int width);

/// {"problem", "instruction", "k_order", "block", "waves", "lds_bytes", "choices": [...], ...}.
llvm::json::Object plan_json(const plan::MatmulPlan& plan);

}  // namespace heddle::tool
