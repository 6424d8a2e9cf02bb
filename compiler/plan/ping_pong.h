// Decides whether the waves of a workgroup work in "ping-pong": in two halves that take turns, so
// that one half multiplies while the other half loads and stores.
#pragma once

#include <string>

#include "compiler/plan/matmul_plan.h"
#include "heddle/instruction/target.h"

namespace heddle::plan {

/// The number of waves of a workgroup that works in ping-pong: two on each SIMD of a CDNA compute
/// unit.
inline constexpr int ping_pong_waves = 2 * instruction::row(instruction::Family::gfx942).simds;

/// The reason why the waves of the plan cannot work in ping-pong; empty if they can. Precondition:
/// everything in the plan is decided, except how many tiles LDS has.
std::string why_no_ping_pong(const MatmulPlan& plan);

/// The reason why the planner does not choose ping-pong although it may be possible; empty if it
/// chooses ping-pong.
std::string why_together(const MatmulPlan& plan);

/// The mistake in the schedule `asked` that the plan file asks for; empty if there is none.
/// `mixes_copies`: the plan file asks for exactly one of A and B to go through registers. That is
/// refused with ping-pong even if this plan has neither copied straight, because the faster kernels
/// for special launches would then mix copies.
std::string refused_schedule(const MatmulPlan& plan, const std::string& asked, bool mixes_copies);

/// The decision for or against ping-pong, in words. `why` is the reason if it is against.
Choice schedule_choice(const MatmulPlan& plan, const std::string& why);

}  // namespace heddle::plan
