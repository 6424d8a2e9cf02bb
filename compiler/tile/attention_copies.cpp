#include "compiler/tile/attention_copies.h"

#include "compiler/kernel/product_frame.h"
#include "compiler/nvidia/byte_transposer.h"
#include "compiler/nvidia/warpgroup_frame.h"

namespace heddle::compiler {
namespace {

using instruction::Operand;
using mlir::Value;

RingPlan ring(const plan::WarpgroupAttentionPlan& plan, int stages, int stage_bytes, int start,
              int barriers_before) {
  return {.stages = stages,
          .stage_bytes = stage_bytes,
          .start = start,
          .barriers_start = plan.barriers_start() + plan.ring_bytes(barriers_before),
          .readers = plan::warps_of_warpgroup * plan.consumers()};
}

RingPlan copied_ring(const plan::WarpgroupAttentionPlan& plan) {
  RingPlan made = ring(plan, plan.copied_stages, plan.copied.b_bytes(), plan.copied_start(),
                       plan.query_stages + 2 * plan.stages());
  made.readers = ByteTransposer::warps;
  return made;
}

}  // namespace

AttentionRings::AttentionRings(const WarpgroupContext& context,
                               const plan::WarpgroupAttentionPlan& plan)
    : transposes(plan.transposes_values()),
      q(context, ring(plan, plan.query_stages, plan.scores.a_bytes(), 0, 0)),
      k(context,
        ring(plan, plan.stages(), plan.scores.b_bytes(), plan.keys_start(), plan.query_stages)),
      v(context, ring(plan, plan.stages(), plan.values_bytes(), plan.values_start(),
                      plan.query_stages + plan.stages())),
      copied(context, copied_ring(plan)) {}

void AttentionRings::initialise() const {
  q.initialise(0);
  k.initialise(0);
  v.initialise(transposes ? ByteTransposer::warps - 1 : 0);
  if (transposes) copied.initialise(0);
}

AttentionProducer::AttentionProducer(const WarpgroupContext& scores, const WarpgroupContext& values,
                                     const plan::WarpgroupAttentionPlan& plan,
                                     const AttentionTiles& tiles,
                                     llvm::function_ref<ScoreCode(const BlockTile&)> scores_of)
    : scores_(scores), values_(values), plan_(plan), tiles_(tiles), scores_of_(scores_of) {}

void AttentionProducer::produce(const Matrices& matrices) const {
  give_registers(values_, plan_.scores.producer_registers);
  const Value thread = values_.add(values_.multiply(values_.warp, 32), values_.lane);
  run_if(values_, values_.equal(thread, 0), [&] { copy_all(matrices); });
  if (plan_.transposes_values())
    run_if(values_, values_.differs(values_.warp, 0), [&] { transpose_all(); });
}

void AttentionProducer::copy(const StageRing& ring, const Position& position, const Copies& copies,
                             Operand operand, int bytes, const LoopNumbers& numbers) const {
  ring.wait_empty(position);
  ring.expect(position, values_.constant(bytes));
  copies.operand(operand, numbers, ring.stage(position), ring.full(position));
}

void AttentionProducer::copy_all(const Matrices& matrices) const {
  const AttentionRings rings(scores_, plan_);
  // V as it lies has a plan of its own, and the numbers of a thread from the others.
  WarpgroupContext copied(values_.builder, plan_.copied);
  copied.rank = values_.rank;
  const Copies of_scores(scores_, matrices.q, matrices.k),
      of_values(copied, matrices.q, matrices.v);
  const StageRing& v = rings.transposes ? rings.copied : rings.v;
  Position at = rings.q.first(), of_k = rings.k.first(), of_v = v.first();
  tiles_.for_each(
      listed({&at, &of_k, &of_v}), [&](const BlockTile& tile, const std::vector<Value>& all) {
        spread(all, {&at, &of_k, &of_v});
        const Value zero = values_.constant(0);
        const AttentionTiles::KeySteps steps = tiles_.steps(tile, scores_of_(tile));
        const auto copy_keys = [&](Value block) {
          const Value first = values_.multiply(block, plan_.keys());
          copy(rings.k, of_k, of_scores, Operand::b, plan_.scores.b_bytes(),
               {tile.m, first, zero, tile.batch});
          of_k = rings.k.next(of_k);
        };
        const auto copy_values = [&](Value block) {
          const Value first = values_.multiply(block, plan_.keys());
          copy(v, of_v, of_values, Operand::b, plan_.copied.b_bytes(),
               {tile.m, zero, first, tile.batch});
          of_v = v.next(of_v);
        };
        copy(rings.q, at, of_scores, Operand::a, plan_.scores.a_bytes(),
             {tile.m, zero, zero, tile.batch});
        at = rings.q.next(at);
        const Value last = values_.add(steps.end, -1);
        copy_keys(last);
        Position positions = listed({&of_k, &of_v});
        positions = tiles_.for_blocks(steps.first, last, positions,
                                      [&](Value block, const std::vector<Value>& values) {
                                        spread(values, {&of_k, &of_v});
                                        copy_keys(block);
                                        copy_values(values_.add(block, 1));
                                        return listed({&of_k, &of_v});
                                      });
        spread(positions, {&of_k, &of_v});
        copy_values(steps.first);
        return listed({&at, &of_k, &of_v});
      });
}

void AttentionProducer::transpose_all() const {
  const AttentionRings rings(scores_, plan_);
  const ByteTransposer transposer(values_, plan_.copied, plan_.values);
  Position from = rings.copied.first(), to = rings.v.first();
  tiles_.for_each(listed({&from, &to}), [&](const BlockTile& tile, const std::vector<Value>& all) {
    const AttentionTiles::KeySteps steps = tiles_.steps(tile, scores_of_(tile));
    return tiles_.for_blocks(steps.first, steps.end, all,
                             [&](Value, const std::vector<Value>& values) {
                               spread(values, {&from, &to});
                               rings.copied.wait_full(from);
                               rings.v.wait_empty(to);
                               transposer.transpose(rings.copied.stage(from), rings.v.stage(to));
                               rings.v.fill(to);
                               rings.copied.release(from);
                               from = rings.copied.next(from);
                               to = rings.v.next(to);
                               return listed({&from, &to});
                             });
  });
}

}  // namespace heddle::compiler
