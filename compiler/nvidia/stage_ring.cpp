#include "compiler/nvidia/stage_ring.h"

#include "compiler/kernel/product_frame.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {
namespace {

namespace nvvm = mlir::NVVM;
using mlir::Value;

constexpr int barrier_bytes = 8;

}  // namespace

void StageRing::initialise(int arrivals) const {
  const auto begin = [&](Value barrier, int arrivals) {
    nvvm::MBarrierInitOp::create(context_.builder, context_.shared_pointer(barrier),
                                 context_.constant(arrivals), Value());
  };
  for (int stage = 0; stage < plan_.stages; ++stage) {
    const std::vector<Value> position{context_.constant(stage), {}};
    begin(full(position), 1 + arrivals);
    begin(empty(position), plan_.readers);
  }
  // Copies, and the other thread blocks of the cluster, see initialised barriers after this fence.
  nvvm::FenceMbarrierInitOp::create(context_.builder);
}

std::vector<Value> StageRing::first() const { return {context_.constant(0), context_.constant(0)}; }

std::vector<Value> StageRing::next(const std::vector<Value>& position) const {
  const Value after = context_.add(position[0], 1);
  const Value wraps = context_.equal(after, plan_.stages);
  const Value flipped = context_.exclusive_or(position[1], 1);
  return {context_.select(wraps, context_.constant(0), after),
          context_.select(wraps, flipped, position[1])};
}

std::vector<Value> StageRing::previous(const std::vector<Value>& position) const {
  const Value before = context_.add(position[0], -1);
  const Value wraps = context_.equal(position[0], 0);
  return {context_.select(wraps, context_.constant(plan_.stages - 1), before), position[1]};
}

Value StageRing::stage(const std::vector<Value>& position) const {
  return context_.add(context_.add(context_.shared, plan_.start),
                      context_.multiply(position[0], plan_.stage_bytes));
}

Value StageRing::full(const std::vector<Value>& position) const {
  const Value first = context_.add(context_.shared, plan_.barriers_start);
  return context_.add(first, context_.multiply(position[0], 2 * barrier_bytes));
}

Value StageRing::empty(const std::vector<Value>& position) const {
  return context_.add(full(position), barrier_bytes);
}

// Waits for the phase before the one of this round. For a new mbarrier the phase before the first
// counts as over, so in the first round every stage is empty at once.
void StageRing::wait_empty(const std::vector<Value>& position) const {
  wait(empty(position), context_.exclusive_or(position[1], 1));
}

void StageRing::wait_full(const std::vector<Value>& position) const {
  wait(full(position), position[1]);
}

void StageRing::wait(Value barrier, Value parity) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const Value pointer = context_.shared_pointer(barrier);
  auto loop = mlir::scf::WhileOp::create(builder, mlir::TypeRange(), mlir::ValueRange());
  const mlir::OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getBefore());
  const Value done =
      nvvm::MBarrierTryWaitOp::create(builder, builder.getI1Type(), pointer, parity, Value());
  mlir::scf::ConditionOp::create(builder, context_.equal(done, 0), mlir::ValueRange());
  builder.createBlock(&loop.getAfter());
  mlir::scf::YieldOp::create(builder);
}

void StageRing::expect(const std::vector<Value>& position, Value bytes) const {
  nvvm::MBarrierArriveExpectTxOp::create(context_.builder, mlir::Type(),
                                         context_.shared_pointer(full(position)), bytes,
                                         nvvm::MemScopeKind::CTA,
                                         /*relaxed=*/false, /*predicate=*/Value());
}

void StageRing::fill(const std::vector<Value>& position) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  nvvm::FenceProxyOp::create(
      builder, nvvm::ProxyKind::async_shared,
      nvvm::SharedSpaceAttr::get(builder.getContext(), nvvm::SharedSpace::shared_cta));
  context_.synchronise_warp();
  run_if(context_, context_.equal(context_.lane, 0), [&] {
    nvvm::MBarrierArriveOp::create(builder, mlir::Type(), context_.shared_pointer(full(position)),
                                   Value());
  });
}

void StageRing::release(const std::vector<Value>& position) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const int blocks = plan_.blocks;
  // Lane i of the warp tells thread block i of the cluster. A plain arrival is enough: only wgmma
  // has read the stage, and it has finished. An arrival with release semantics for the cluster
  // takes long.
  run_if(context_, context_.less(context_.lane, blocks), [&] {
    Value barrier = context_.shared_pointer(empty(position));
    if (blocks > 1) {
      const auto of_cluster = mlir::LLVM::LLVMPointerType::get(
          builder.getContext(), static_cast<unsigned>(SharedSpace::cluster));
      barrier = nvvm::MapaOp::create(builder, of_cluster, barrier, context_.lane);
    }
    nvvm::MBarrierArriveOp::create(builder, mlir::Type(), barrier, Value());
  });
}

}  // namespace heddle::compiler
