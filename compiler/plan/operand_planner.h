// Plans A or B through LDS: the cheapest layout that placement.h has for stores and loads together,
// by padding or by the order of the bits, whose addresses need the fewest registers.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "compiler/plan/operand_plan.h"
#include "heddle/layout/axes.h"
#include "heddle/layout/solve.h"
#include "heddle/plan/placement.h"

namespace heddle::plan {

/// The cheapest layout that `means` allow. First find a layout for the loads; then choose the
/// storing lanes for it; then find the final layout for both. Returns nothing if no such layout
/// keeps each vector in register order.
std::optional<SharedCandidate> shared_candidate(const memory::BankModel& model,
                                                const OperandPlan& plan, int warps, Means means,
                                                StagingGoal goal);

/// Plans one operand from the fragment of a block, the first inputs of which run along k. If atoms
/// take rows in turn, layouts are searched as if each had neighbouring rows.
OperandPlan plan_operand(const memory::BankModel& model, const GlobalTile& tile,
                         const layout::LinearLayout& fragment, int warps, InTurn in_turn = {});

}  // namespace heddle::plan
