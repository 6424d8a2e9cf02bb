#include "compiler/nvidia/stage_ring.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

constexpr int barrier_bytes = 8, warps_of_warpgroup = 4;

}  // namespace

void StageRing::initialise() const {
  const plan::WarpgroupPlan& plan = context_.plan;
  const int readers = warps_of_warpgroup * plan.consumers * plan.cluster();
  for (int stage = 0; stage < plan.stages; ++stage) {
    const std::vector<Value> position{context_.constant(stage), {}};
    context_.ptx("mbarrier.init.shared::cta.b64 [$0], 1;", "r", {full(position)});
    context_.ptx("mbarrier.init.shared::cta.b64 [$0], $1;", "r,n",
                 {empty(position), context_.constant(readers)});
  }
  // Other blocks of the cluster and copies see them initialised.
  context_.ptx("fence.mbarrier_init.release.cluster;", "", {});
}

std::vector<Value> StageRing::first() const { return {context_.constant(0), context_.constant(0)}; }

std::vector<Value> StageRing::next(const std::vector<Value>& position) const {
  const Value after = context_.add(position[0], 1);
  const Value wraps = context_.equal(after, context_.plan.stages);
  const Value flipped = context_.exclusive_or(position[1], 1);
  return {context_.select(wraps, context_.constant(0), after),
          context_.select(wraps, flipped, position[1])};
}

std::vector<Value> StageRing::previous(const std::vector<Value>& position) const {
  const Value before = context_.add(position[0], -1);
  const Value wraps = context_.equal(position[0], 0);
  return {context_.select(wraps, context_.constant(context_.plan.stages - 1), before), position[1]};
}

Value StageRing::stage(const std::vector<Value>& position) const {
  return context_.add(context_.shared, context_.multiply(position[0], context_.plan.stage_bytes()));
}

Value StageRing::full(const std::vector<Value>& position) const {
  const Value first = context_.add(context_.shared, context_.plan.barriers_start());
  return context_.add(first, context_.multiply(position[0], 2 * barrier_bytes));
}

Value StageRing::empty(const std::vector<Value>& position) const {
  return context_.add(full(position), barrier_bytes);
}

// A phase that has the other parity is the one before: the first round finds every stage empty.
void StageRing::wait_empty(const std::vector<Value>& position) const {
  wait(empty(position), context_.exclusive_or(position[1], 1));
}

void StageRing::wait_full(const std::vector<Value>& position) const {
  wait(full(position), position[1]);
}

void StageRing::wait(Value barrier, Value parity) const {
  context_.ptx(
      "{\n\t"
      ".reg .pred done;\n\t"
      "again:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n\t"
      "@!done bra again;\n\t"
      "}",
      "r,r", {barrier, parity});
}

void StageRing::expect(const std::vector<Value>& position, int bytes) const {
  context_.ptx("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,n",
               {full(position), context_.constant(bytes)});
}

void StageRing::release(const std::vector<Value>& position) const {
  if (context_.plan.cluster() == 1) {
    context_.ptx("@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", "r,b",
                 {empty(position), context_.equal(context_.lane, 0)});
    return;
  }
  // Lane i of the warp tells block i. Nothing but wgmma has read the stage, and that is done: there
  // are no accesses of memory to release, and doing so for the whole cluster takes long.
  context_.ptx(
      "{\n\t"
      ".reg .b32 remote;\n\t"
      "@$2 mapa.shared::cluster.u32 remote, $0, $1;\n\t"
      "@$2 mbarrier.arrive.shared::cluster.b64 _, [remote];\n\t"
      "}",
      "r,r,b",
      {empty(position), context_.lane, context_.less(context_.lane, context_.plan.cluster())});
}

}  // namespace heddle::compiler
