#include "compiler/nvidia/tile_order.h"

#include <algorithm>

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// How many clusters of tiles cover the rows, and the columns, of a matrix, rounded up.
struct ClusterTiles {
  explicit ClusterTiles(const WarpgroupContext& context)
      : rows(along(context, plan::Loop::m, context.plan.block_m, context.plan.cluster_m)),
        columns(along(context, plan::Loop::n, context.plan.block_n, context.plan.cluster_n)) {}
  static Extent along(const WarpgroupContext& context, plan::Loop loop, int block, int cluster) {
    return pieces(context, pieces(context, context.size(loop), block), cluster);
  }
  Extent rows, columns;
};

BlockTile tile_of(const WarpgroupContext& context, Value number) {
  const plan::WarpgroupPlan& plan = context.plan;
  const ClusterTiles tiles(context);
  BlockTile tile;
  tile.number = context.add(context.multiply(number, plan.cluster()), context.rank);
  const Extent& batches = context.size(plan::Loop::batch);
  if (!batches.is_known() || batches.known != 1) {
    const Value in_matrix = context.multiply(context.value_of(tiles.rows), tiles.columns);
    tile.batch = mlir::arith::DivUIOp::create(context.builder, number, in_matrix);
    number = mlir::arith::RemUIOp::create(context.builder, number, in_matrix);
  }
  const auto [row, column] = tile_place(context, number, tiles.rows, tiles.columns, plan.group_m);
  const Value m = context.add(context.multiply(row, plan.cluster_m),
                              context.remainder(context.rank, plan.cluster_m));
  const Value n = context.add(context.multiply(column, plan.cluster_n),
                              context.divide(context.rank, plan.cluster_m));
  tile.m = context.multiply(m, plan.block_m);
  if (plan.repeats_rows())
    tile.m = mlir::arith::MinUIOp::create(context.builder, tile.m,
                                          context.constant(plan.problem.m - plan.block_m));
  tile.n = context.multiply(n, plan.block_n);
  return tile;
}

}  // namespace

Extent pieces(const SizedContext& context, const Extent& extent, std::int64_t size) {
  if (extent.is_known()) return {(extent.known + size - 1) / size, {}};
  return {-1, context.divide(context.add(extent.value, size - 1), size)};
}

std::array<Value, 2> tile_place(const SizedContext& context, Value number, const Extent& rows,
                                const Extent& columns, std::int64_t group) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const auto divided = [&](Value x, Value y) -> Value {
    return mlir::arith::DivUIOp::create(builder, x, y);
  };
  const auto left = [&](Value x, Value y) -> Value {
    return mlir::arith::RemUIOp::create(builder, x, y);
  };
  if (rows.is_known()) group = std::min(group, rows.known);
  const Value in_group = context.value_of(context.scaled(columns, group));
  const Value first = context.multiply(divided(number, in_group), group);
  Value height = context.constant(group);
  if (!rows.is_known() || rows.known % group != 0) {  // the last group has fewer rows
    const Value rest = mlir::arith::SubIOp::create(builder, context.value_of(rows), first);
    height = mlir::arith::MinUIOp::create(builder, rest, height);
  }
  const Value inside = left(number, in_group);
  return {context.add(first, left(inside, height)), divided(inside, height)};
}

ClusterPlace cluster_place(const WarpgroupContext& context) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const plan::WarpgroupPlan& plan = context.plan;
  const mlir::Type i32 = builder.getI32Type();
  const Value cluster =
      context.divide(mlir::NVVM::BlockIdXOp::create(builder, i32), plan.cluster());
  const Value of_part =
      context.divide(mlir::NVVM::GridDimXOp::create(builder, i32), plan.cluster() * plan.split_k);
  if (!plan.groups_parts())
    return {context.remainder(cluster, plan.split_k), context.divide(cluster, plan.split_k),
            of_part};
  return {mlir::arith::DivUIOp::create(builder, cluster, of_part),
          mlir::arith::RemUIOp::create(builder, cluster, of_part), of_part};
}

std::vector<Value> for_each_tile(
    const WarpgroupContext& context, const std::vector<Value>& first,
    llvm::function_ref<std::vector<Value>(const BlockTile&, std::vector<Value>)> body) {
  const ClusterPlace place = cluster_place(context);
  const ClusterTiles in_matrix(context);
  const Value tiles =
      context.multiply(context.multiply(context.value_of(in_matrix.rows), in_matrix.columns),
                       context.size(plan::Loop::batch));
  return counted_loop(context, place.number, tiles, place.of_part, first,
                      [&](Value number, std::vector<Value> values) {
                        return body(tile_of(context, number), std::move(values));
                      });
}

}  // namespace heddle::compiler
