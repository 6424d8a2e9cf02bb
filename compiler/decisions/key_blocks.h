// Counts how many blocks of keys the tiles of queries of an attention need, given the mask in the
// formula of its scores. A block is a number of consecutive keys that the kernel takes at once.
#pragma once

#include <vector>

#include "compiler/decisions/score_formula.h"
#include "compiler/plan/key_blocks.h"
#include "compiler/plan/product_plan.h"

namespace heddle::compiler {

plan::KeyBlocks key_blocks(const ScoreFormula& formula, const plan::KeyBlockSizes& sizes);

/// For each tile of queries of the first matrix of the batch, how many blocks of keys the kernel
/// takes (at least 1): those with a key that one of the queries may see or, if masked keys may not
/// be left out, all.
std::vector<std::int64_t> blocks_of_tiles(const ScoreFormula& formula,
                                          const plan::KeyBlockSizes& sizes);

/// Some masks depend on numbers that are known only at launch, such as lengths. For a trial run,
/// makes the request draw these numbers at random from 0 to the number of keys, unless the text
/// says something else about them.
void draw_as_lengths(const ScoreFormula& formula, MatmulRequest& request);

/// The line about the mask in the list of the plan's choices. Precondition: the formula has a mask.
plan::Choice mask_choice(const ScoreFormula& formula, const plan::KeyBlocks& blocks);

}  // namespace heddle::compiler
