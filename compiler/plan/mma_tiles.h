// Chooses the instruction that multiplies, and the size of a block's tiles.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "compiler/plan/fma_atom.h"
#include "compiler/plan/mma_plan.h"
#include "heddle/layout/needs_cxx23.h"

namespace heddle::plan {

/// The dense mma.sync of the target that multiplies most at once, with sums of f32, of i32 for
/// integers, of f64 for f64; multiply-adds if f32 is to be exact. Null if there is none.
const instruction::Instruction* find_mma(const MmaRequest& request);

/// The tiles of a block: those that were asked for, or the fastest by an estimate. `why` is the
/// reason. Error: impossible sizes.
std::expected<Tiling, std::string> choose_tiles(const MmaRequest& request,
                                                const instruction::Instruction& mma,
                                                std::string& why);

/// The blocks, with the warps of each, that a plan with the instruction may choose and that are
/// worth a measurement.
std::vector<PlanFields> mma_blocks(const instruction::Instruction& mma);

}  // namespace heddle::plan
