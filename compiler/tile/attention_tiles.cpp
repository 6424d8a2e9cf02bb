#include "compiler/tile/attention_tiles.h"

#include "compiler/kernel/product_frame.h"
#include "compiler/nvidia/tile_order.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

Value minus(const WarpgroupContext& context, Value x, Value y) {
  return mlir::arith::SubIOp::create(context.builder, x, y);
}
Value least(const WarpgroupContext& context, Value x, Value y) {
  return mlir::arith::MinSIOp::create(context.builder, x, y);
}

}  // namespace

AttentionTiles::Values AttentionTiles::for_each(
    const Values& first, llvm::function_ref<Values(const BlockTile&, const Values&)> body) const {
  if (plan_.heads_together == 0) return for_each_tile(context_, first, body);
  const std::int64_t tiles = plan_.scores.tiles_m() * plan_.problem.batch;
  const std::int64_t blocks = std::min<std::int64_t>(tiles, plan_.scores.blocks);
  const std::int64_t rounds = tiles / blocks, rest = tiles % blocks;
  const Value block =
      mlir::NVVM::BlockIdXOp::create(context_.builder, context_.builder.getI32Type());
  const Value reversed = minus(context_, context_.constant(blocks - 1), block);
  const Value has_rest = context_.less(rounds % 2 == 0 ? block : reversed, rest);
  const Value count =
      context_.select(has_rest, context_.constant(rounds + 1), context_.constant(rounds));
  return counted_loop(context_, context_.constant(0), count, context_.constant(1), first,
                      [&](Value round, const Values& values) {
                        const Value is_even = context_.equal(context_.remainder(round, 2), 0);
                        const Value number =
                            context_.add(context_.multiply(round, blocks),
                                         context_.select(is_even, block, reversed));
                        return body(by_length(number), values);
                      });
}

BlockTile AttentionTiles::by_length(Value number) const {
  const std::int64_t rows = plan_.scores.tiles_m(), heads = plan_.problem.batch;
  const std::int64_t together = plan_.heads_together;
  const Value first_head = context_.multiply(context_.divide(number, together * rows), together);
  const Value inside = context_.remainder(number, together * rows);
  const Value count = least(context_, minus(context_, context_.constant(heads), first_head),
                            context_.constant(together));
  Value row = mlir::arith::DivUIOp::create(context_.builder, inside, count);
  if (plan_.is_longest_last()) row = minus(context_, context_.constant(rows - 1), row);
  BlockTile tile;
  tile.m = context_.multiply(row, plan_.scores.block_m);
  tile.n = context_.constant(0);
  const Value head = mlir::arith::RemUIOp::create(context_.builder, inside, count);
  if (heads > 1) tile.batch = context_.add(first_head, head);
  return tile;
}

AttentionTiles::KeySteps AttentionTiles::steps(const BlockTile& tile,
                                               const ScoreCode& scores) const {
  const auto among = [&](Value first, int count) {
    const Value end = context_.constant(plan_.problem.m - 1);
    return scores.steps(least(context_, first, end),
                        least(context_, context_.add(first, count - 1), end), plan_.keys());
  };
  const auto is_less = [&](Value x, Value y) -> Value {
    return mlir::arith::CmpIOp::create(context_.builder, mlir::arith::CmpIPredicate::slt, x, y);
  };
  const ScoreCode::Steps of_tile = among(tile.m, plan_.scores.block_m);
  KeySteps steps{of_tile.first, {}, {}, of_tile.end};
  if (plan_.blocks.has_empty) {
    const Value is_seen = is_less(steps.first, steps.end);
    steps.first = context_.select(is_seen, steps.first, context_.constant(0));
    steps.end = context_.select(is_seen, steps.end, context_.constant(1));
  }
  const Value last = context_.add(steps.end, -1);
  steps.first_plain = steps.first;
  steps.end_plain = last;
  if (!formula_.has_mask()) return steps;
  const Value of_consumer =
      context_.multiply(context_.add(context_.warpgroup, -1), plan::wgmma_rows);
  const ScoreCode::Steps own = among(context_.add(tile.m, of_consumer), plan::wgmma_rows);
  const Value first_plain =
      mlir::arith::MaxSIOp::create(context_.builder, own.first_plain, steps.first);
  const Value end_plain = least(context_, own.end_plain, last);
  const Value is_plain = is_less(first_plain, end_plain);
  if (plan_.blocks.masks_before)
    steps.first_plain = context_.select(is_plain, first_plain, steps.first);
  if (plan_.blocks.masks_after) steps.end_plain = context_.select(is_plain, end_plain, steps.first);
  return steps;
}

AttentionTiles::Values AttentionTiles::for_blocks(
    Value first, Value end, const Values& carried,
    llvm::function_ref<Values(Value, const Values&)> body) const {
  const Value last = context_.add(end, -1);
  return rolled_loop(
      context_, context_.constant(0), minus(context_, end, first), carried,
      [&](Value step, const Values& values) { return body(minus(context_, last, step), values); });
}

}  // namespace heddle::compiler
