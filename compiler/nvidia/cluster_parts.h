// Blocks of a cluster that share the k of one tile of D: each hands its sums to those that finish
// them, through the shared memory of the cluster.
//
// Includes MLIR: C++20.
#pragma once

#include <vector>

#include "compiler/nvidia/warpgroup_context.h"

namespace heddle::compiler {

/// All threads of the cluster, or of the block where that is all, meet. What they have stored in
/// shared memory is then seen.
void synchronise(const WarpgroupContext& context);

/// What threads without sums do while those with sums are in added_parts().
void meet_parts(const WarpgroupContext& context);

/// The `sums` of a thread, `band_registers` of each band, added to those of the other parts.
/// Returns those that the block finishes, in pieces of plan.piece_columns() columns, one beside the
/// other from piece `context.part * plan.pieces_of_part()` on: of each piece the registers of all
/// bands. What lies beyond the tile is undefined. The tiles of A and B in shared memory are lost.
std::vector<std::vector<mlir::Value>> added_parts(const WarpgroupContext& context,
                                                  const std::vector<mlir::Value>& sums,
                                                  int band_registers);

}  // namespace heddle::compiler
