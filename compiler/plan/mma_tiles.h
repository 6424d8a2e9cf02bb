// Chooses the instruction that multiplies, and the sizes of the tiles that a thread block computes.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "compiler/plan/fma_atom.h"
#include "compiler/plan/mma_plan.h"
#include "heddle/layout/needs_cxx23.h"

namespace heddle::plan {

/// The dense mma.sync that multiplies most elements at once on the target, with sums of f32 (of i32
/// for integers, of f64 for f64). If f32 must be multiplied exactly, multiply-adds. Null if the
/// target has neither.
const instruction::Instruction* find_mma(const MmaRequest& request);

/// The tiles of a thread block: those that the request asks for or, where it asks for nothing,
/// those that an estimate finds fastest. `why` becomes the reason. Error: the sizes asked for are
/// impossible.
std::expected<Tiling, std::string> choose_tiles(const MmaRequest& request,
                                                const instruction::Instruction& mma,
                                                std::string& why);

/// The sizes of thread blocks, with their numbers of warps, among which a plan with this
/// instruction chooses, and which are worth a measurement.
std::vector<PlanFields> mma_blocks(const instruction::Instruction& mma);

}  // namespace heddle::plan
