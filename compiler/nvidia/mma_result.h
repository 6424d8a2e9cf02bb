// The sums of a warp: where they begin, and how they become D.
#pragma once

#include "compiler/nvidia/mma_fragments.h"
#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// A sum for each register of D, each `constant`.
Sums initial_sums(const MmaContext& context, double constant);

/// What becomes of the sums.
struct MmaResult {
  GlobalMatrix d;
  GlobalMatrix c;                    // added first; its pointer is null where there is none
  std::vector<GlobalMatrix> extras;  // further inputs of the epilogue
  const MatmulRequest& request;
};

/// Adds C, rounds, applies the epilogue, and stores into the tile of D what lies inside the matrix.
void store_sums(const MmaContext& context, const Sums& sums, const BlockTile& tile,
                const MmaResult& result);

}  // namespace heddle::compiler
