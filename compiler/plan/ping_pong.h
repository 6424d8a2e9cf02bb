// Whether two halves of a workgroup's waves change places, one multiplying while the other loads
// and stores ("ping-pong").
#pragma once

#include <string>

#include "compiler/plan/matmul_plan.h"
#include "heddle/instruction/target.h"

namespace heddle::plan {

/// Waves of such a workgroup: two on each SIMD of a compute unit of CDNA.
inline constexpr int ping_pong_waves = 2 * instruction::row(instruction::Family::gfx942).simds;

/// Why the waves of the plan cannot change places, all of it decided but the tiles in LDS; empty
/// where they can.
std::string why_no_ping_pong(const MatmulPlan& plan);

/// Why the planner lets waves that could change places work together; empty where it does not.
std::string why_together(const MatmulPlan& plan);

/// What is wrong with the schedule that was asked for; empty where nothing is. `mixes_copies`: of A
/// and B one alone is to pass registers. A kernel for any sizes may have both do so, but none of
/// the faster ones beside it.
std::string refused_schedule(const MatmulPlan& plan, const std::string& asked, bool mixes_copies);

/// The decision in words. `why`: of waves that work together.
Choice schedule_choice(const MatmulPlan& plan, const std::string& why);

}  // namespace heddle::plan
