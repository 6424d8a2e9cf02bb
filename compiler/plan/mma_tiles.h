// Which instruction multiplies, and how large the tiles of a block are.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "compiler/plan/fma_atom.h"
#include "compiler/plan/mma_plan.h"
#include "heddle/layout/needs_cxx23.h"

namespace heddle::plan {

/// The dense mma.sync of the target that multiplies most at once, with sums of f32, of i32 for
/// integers, of f64 for f64; multiply-adds where f32 is to be multiplied as it is. Or nullptr.
const instruction::Instruction* find_mma(const MmaRequest& request);

/// The tiles of a block: those that were asked for, and else the fastest by an estimate. `why` says
/// how. Error: sizes that cannot be.
std::expected<Tiling, std::string> choose_tiles(const MmaRequest& request,
                                                const instruction::Instruction& mma,
                                                std::string& why);

/// The blocks that a plan with the instruction may choose, with the warps of each: what is worth a
/// measurement.
std::vector<PlanFields> mma_blocks(const instruction::Instruction& mma);

}  // namespace heddle::plan
