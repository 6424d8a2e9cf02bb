// The sums of a warp: where they begin, and how they become D.
#pragma once

#include "compiler/nvidia/mma_fragments.h"
#include "compiler/nvidia/result_elements.h"

namespace heddle::compiler {

/// A sum for each register of D, as it begins.
Sums initial_sums(const MmaContext& context, const MatmulRequest& request);

/// Adds C, rounds, applies the epilogue, and stores into the tile of D what lies inside the matrix.
void store_sums(const MmaContext& context, const Sums& sums, const BlockTile& tile,
                const ResultMatrices& result);

}  // namespace heddle::compiler
