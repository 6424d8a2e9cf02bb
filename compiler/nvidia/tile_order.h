// The tiles that a block computes, and their order.
#pragma once

#include <vector>

#include "compiler/kernel/product_frame.h"
#include "compiler/nvidia/warpgroup_context.h"

namespace heddle::compiler {

/// The number of pieces of `size` in `extent`; the last may be partial.
Extent pieces(const SizedContext& context, const Extent& extent, std::int64_t size);

/// The row and column of tile `number` (i32) of `rows` times `columns`. Tiles are numbered down
/// `group` rows, then to the next column. So those computed at the same time share rows and
/// columns, which L2 then holds.
std::array<mlir::Value, 2> tile_place(const SizedContext& context, mlir::Value number,
                                      const Extent& rows, const Extent& columns,
                                      std::int64_t group);

/// The part of k that the block's cluster computes, the cluster's number (i32) among the clusters
/// of that part, and their count.
struct ClusterPlace {
  mlir::Value part, number, of_part;
};
ClusterPlace cluster_place(const WarpgroupContext& context);

/// Runs `body` for the block's tiles of all matrices of the batch; values go from each tile to the
/// next. Clusters take tiles in turn.
std::vector<mlir::Value> for_each_tile(
    const WarpgroupContext& context, const std::vector<mlir::Value>& first,
    llvm::function_ref<std::vector<mlir::Value>(const BlockTile&, std::vector<mlir::Value>)> body);

}  // namespace heddle::compiler
