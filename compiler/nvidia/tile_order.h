// The tiles that a block computes, and their order.
#pragma once

#include <vector>

#include "compiler/kernel/product_frame.h"
#include "compiler/nvidia/warpgroup_context.h"

namespace heddle::compiler {

/// The number of pieces that `extent` is cut into, each of length `size`. The last piece may be
/// shorter.
Extent pieces(const SizedContext& context, const Extent& extent, std::int64_t size);

/// The row and column, counted in tiles, of tile number `number` (i32) in a matrix of `rows` times
/// `columns` tiles. Tiles are numbered in bands of `group` rows: in a band, down the first column,
/// then down the next. So tiles that are computed at the same time need the same few rows of A and
/// columns of B, which stay in L2.
std::array<mlir::Value, 2> tile_place(const SizedContext& context, mlir::Value number,
                                      const Extent& rows, const Extent& columns,
                                      std::int64_t group);

/// If k is split, clusters are divided among the parts of k. `part` is the part that this cluster
/// computes, `number` (i32) is the cluster's number among those of the same part, and `of_part` is
/// how many these are.
struct ClusterPlace {
  mlir::Value part, number, of_part;
};
ClusterPlace cluster_place(const WarpgroupContext& context);

/// Builds a loop that runs `body` for each tile of D that the thread block computes, in all
/// matrices of the batch. Its values are `first` for the first tile; for each further tile they are
/// what `body` returned for the tile before. Tiles form groups, with one tile for each block of a
/// cluster. Of the n clusters of a part of k, cluster i computes the groups i, i + n, i + 2 n …
std::vector<mlir::Value> for_each_tile(
    const WarpgroupContext& context, const std::vector<mlir::Value>& first,
    llvm::function_ref<std::vector<mlir::Value>(const BlockTile&, std::vector<mlir::Value>)> body);

}  // namespace heddle::compiler
