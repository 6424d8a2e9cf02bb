// Counts the blocks of keys that a formula of scores needs.
#pragma once

#include <vector>

#include "compiler/decisions/score_formula.h"
#include "compiler/plan/key_blocks.h"
#include "compiler/plan/product_plan.h"

namespace heddle::compiler {

plan::KeyBlocks key_blocks(const ScoreFormula& formula, const plan::KeyBlockSizes& sizes);

/// How many blocks each tile of the first matrix sees.
std::vector<std::int64_t> blocks_of_tiles(const ScoreFormula& formula,
                                          const plan::KeyBlockSizes& sizes);

/// A run draws the numbers of a launch by which keys are masked from 0 to the number of keys, where
/// the text says nothing else of them.
void draw_as_lengths(const ScoreFormula& formula, MatmulRequest& request);

/// What a plan says of masks. Precondition: the formula has one.
plan::Choice mask_choice(const ScoreFormula& formula, const plan::KeyBlocks& blocks);

}  // namespace heddle::compiler
