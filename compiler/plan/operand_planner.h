// Plans A or B if it goes through registers to LDS: chooses the layout in LDS with which stores and
// loads together are cheapest, among those that placement.h finds (with padding, or with another
// order of the bits). Of equally cheap layouts it chooses one whose addresses need the fewest
// registers.
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

/// The cheapest layout in LDS among those that `means` allow. It is found in three steps: first a
/// layout for the loads alone; then, for this layout, which lanes store what; then the layout for
/// these stores and the loads. Null if in no such layout the elements of each vector are in the
/// order of the registers.
std::optional<SharedCandidate> shared_candidate(const memory::BankModel& model,
                                                const OperandPlan& plan, int warps, Means means,
                                                StagingGoal goal);

/// Plans one operand that goes through registers. `fragment` is its fragment for the workgroup's
/// tile; its first inputs must run along k. If atoms take rows alternately (`in_turn`), layouts are
/// searched as if each atom had adjacent rows.
OperandPlan plan_operand(const memory::BankModel& model, const GlobalTile& tile,
                         const layout::LinearLayout& fragment, int warps, InTurn in_turn = {});

}  // namespace heddle::plan
