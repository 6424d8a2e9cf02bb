#include "compiler/nvidia/tile_order.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

Tile tile_of(const WarpgroupContext& context, Value number) {
  const plan::WarpgroupPlan& plan = context.plan;
  const std::int64_t rows = plan.cluster_tiles_m(), columns = plan.cluster_tiles_n();
  const std::int64_t group_rows = std::min<std::int64_t>(plan.group_m, rows);
  const Value group = context.divide(number, group_rows * columns);
  const Value inside = context.remainder(number, group_rows * columns);
  const Value first_row = context.multiply(group, group_rows);
  Value row, column;
  if (rows % group_rows == 0) {
    row = context.remainder(inside, group_rows);
    column = context.divide(inside, group_rows);
  } else {  // the last group has fewer rows
    const Value left =
        mlir::arith::SubIOp::create(context.builder, context.constant(rows), first_row);
    const Value here =
        mlir::arith::MinUIOp::create(context.builder, left, context.constant(group_rows));
    row = mlir::arith::RemUIOp::create(context.builder, inside, here);
    column = mlir::arith::DivUIOp::create(context.builder, inside, here);
  }
  row = context.add(first_row, row);
  const Value m = context.add(context.multiply(row, plan.cluster_m),
                              context.remainder(context.rank, plan.cluster_m));
  const Value n = context.add(context.multiply(column, plan.cluster_n),
                              context.divide(context.rank, plan.cluster_m));
  return {context.multiply(m, plan.block_m), context.multiply(n, plan.block_n)};
}

}  // namespace

std::vector<Value> counted_loop(const WarpgroupContext& context, Value from, Value to, Value step,
                                std::vector<Value> first, CarryOver body) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  auto loop = mlir::scf::ForOp::create(builder, from, to, step, first);
  const mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  const auto arguments = loop.getRegionIterArgs();
  const std::vector<Value> next =
      body(loop.getInductionVar(), std::vector<Value>(arguments.begin(), arguments.end()));
  mlir::scf::YieldOp::create(builder, next);
  return std::vector<Value>(loop.getResults().begin(), loop.getResults().end());
}

std::vector<Value> for_each_tile(
    const WarpgroupContext& context, std::vector<Value> first,
    llvm::function_ref<std::vector<Value>(const Tile&, std::vector<Value>)> body) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const plan::WarpgroupPlan& plan = context.plan;
  const mlir::Type i32 = builder.getI32Type();
  const Value cluster =
      context.divide(mlir::NVVM::BlockIdXOp::create(builder, i32), plan.cluster());
  const Value clusters =
      context.divide(mlir::NVVM::GridDimXOp::create(builder, i32), plan.cluster());
  const Value tiles = context.constant(plan.cluster_tiles_m() * plan.cluster_tiles_n());
  return counted_loop(context, cluster, tiles, clusters, std::move(first),
                      [&](Value number, std::vector<Value> values) {
                        return body(tile_of(context, number), std::move(values));
                      });
}

}  // namespace heddle::compiler
