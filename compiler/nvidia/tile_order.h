// Which tiles a block computes, in which order.
#pragma once

#include <vector>

#include "compiler/kernel/product_frame.h"
#include "compiler/nvidia/warpgroup_context.h"

namespace heddle::compiler {

/// How many pieces of `size` there are in `extent`, the last perhaps not a whole one.
Extent pieces(const SizedContext& context, const Extent& extent, std::int64_t size);

/// The row and column of tile `number` (i32) of `rows` times `columns`. They are numbered so that
/// those computed at the same time share rows and columns, which L2 then holds: down `group` rows,
/// then to the next column.
std::array<mlir::Value, 2> tile_place(const SizedContext& context, mlir::Value number,
                                      const Extent& rows, const Extent& columns,
                                      std::int64_t group);

/// Which part of k the block's cluster computes, its number (i32) among the clusters of that part,
/// and how many those are.
struct ClusterPlace {
  mlir::Value part, number, of_part;
};
ClusterPlace cluster_place(const WarpgroupContext& context);

/// The block's tiles of all matrices of the batch, with values that each hands to the next.
/// Clusters take tiles in turn.
std::vector<mlir::Value> for_each_tile(
    const WarpgroupContext& context, std::vector<mlir::Value> first,
    llvm::function_ref<std::vector<mlir::Value>(const BlockTile&, std::vector<mlir::Value>)> body);

}  // namespace heddle::compiler
