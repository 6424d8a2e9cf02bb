#include "compiler/nvidia/consumer_turns.h"

#include "compiler/plan/warpgroup_plan.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace heddle::compiler {
namespace {

// Who waits and who arrives.
constexpr int pair_of_consumers = 2 * plan::warpgroup_lanes;

}  // namespace

using mlir::Value;

// The named barrier at which a consumer waits for its turn. (Each consumer also has a barrier for
// its results.)
Value ConsumerTurns::barrier_of(Value consumer) const {
  return context_.add(consumer, static_cast<int>(NamedBarrier::own) + 3);
}

void ConsumerTurns::arrive(Value consumer) const {
  mlir::NVVM::BarrierArriveOp::create(context_.builder, barrier_of(consumer),
                                      context_.constant(pair_of_consumers));
}

void ConsumerTurns::begin() const {
  if (!takes_turns_) return;
  run_if(context_, context_.equal(context_.warpgroup, consumers_),
         [&] { arrive(context_.constant(1)); });
}

void ConsumerTurns::wait() const {
  if (!takes_turns_) return;
  context_.synchronise(barrier_of(context_.warpgroup), pair_of_consumers);
}

void ConsumerTurns::give() const {
  if (!takes_turns_) return;
  const Value is_last = context_.equal(context_.warpgroup, consumers_);
  arrive(context_.select(is_last, context_.constant(1), context_.add(context_.warpgroup, 1)));
}

}  // namespace heddle::compiler
