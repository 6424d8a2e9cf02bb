// Makes the plan of a matrix product on mma.sync, or on plain multiply-adds if the product must be
// computed in exact f32.
//
//   auto plan = make_mma_plan({.m = 4096, .n = 4096, .k = 4096}, Target::sm_90);
//   for (const Choice& choice : plan->choices) print(choice.what, choice.value, choice.why);
#pragma once

#include <array>
#include <expected>
#include <string>

#include "compiler/plan/fma_atom.h"
#include "compiler/plan/mma_plan.h"
#include "compiler/plan/mma_tiles.h"
#include "heddle/layout/axes.h"
#include "heddle/layout/solve.h"
#include "heddle/memory/bank_model.h"
#include "heddle/plan/placement.h"

namespace heddle::plan {

/// Makes the plan. Error: the target has no instruction for the types, or the tiles that were asked
/// for are impossible.
std::expected<MmaPlan, std::string> make_mma_plan(const MmaRequest& request);

/// Decides for an operand how `warps` warps copy it, where it lies in shared memory, and how its
/// fragments are loaded. False if there is no possible layout in shared memory. Precondition: the
/// members of `operand` up to copy_bytes, and `fragment`, are filled.
bool place_mma_operand(MmaOperandPlan& operand, int warps, instruction::Target target);

}  // namespace heddle::plan
