// Decides whether two halves of a workgroup's waves take turns, one multiplying while the other
// loads and stores ("ping-pong").
#pragma once

#include <string>

#include "compiler/plan/matmul_plan.h"
#include "heddle/instruction/target.h"

namespace heddle::plan {

/// The number of waves of such a workgroup: two on each SIMD of a compute unit of CDNA.
inline constexpr int ping_pong_waves = 2 * instruction::row(instruction::Family::gfx942).simds;

/// The reason that the waves of the plan cannot take turns; empty if they can. All of the plan is
/// decided but the tiles in LDS.
std::string why_no_ping_pong(const MatmulPlan& plan);

/// The reason that the planner lets waves work together although they could take turns; empty if it
/// does not.
std::string why_together(const MatmulPlan& plan);

/// The mistake in the schedule that was asked for; empty if there is none. `mixes_copies`: only one
/// of A and B is to pass registers. A kernel for any sizes may have both pass registers, but the
/// faster kernels with it may not.
std::string refused_schedule(const MatmulPlan& plan, const std::string& asked, bool mixes_copies);

/// The decision in words. `why`: the reason that waves work together.
Choice schedule_choice(const MatmulPlan& plan, const std::string& why);

}  // namespace heddle::plan
