#include "compiler/amd/ping_pong.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// A barrier that only one half of the waves executes at this point of the code: the upper half if
// `is_upper`. It meets the next barrier that the other half executes anywhere.
void wait_for_turn(const KernelContext& context, bool is_upper) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const Value warp =
      mlir::ROCDL::ReadfirstlaneOp::create(builder, context.warp.getType(), context.warp);
  const Value half = context.constant(context.plan.tiles.warps() / 2);
  const auto predicate =
      is_upper ? mlir::arith::CmpIPredicate::uge : mlir::arith::CmpIPredicate::ult;
  const Value waits = mlir::arith::CmpIOp::create(builder, predicate, warp, half);
  auto branch = mlir::scf::IfOp::create(builder, waits, /*withElseRegion=*/false);
  const mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  meet_waves(context);
}

void change_places(const KernelContext& context) {
  keep_apart(context);
  meet_waves(context);
  keep_apart(context);
}

// If two waves of a SIMD could issue an instruction, the wave with the higher priority issues
// first.
void set_priority(const KernelContext& context, std::int16_t priority) {
  mlir::ROCDL::SetPrioOp::create(context.builder, context.builder.getI16IntegerAttr(priority));
}

}  // namespace

void begin_turns(const KernelContext& context) { wait_for_turn(context, /*is_upper=*/true); }

void begin_multiplying(const KernelContext& context) {
  await_own_lds(context);
  change_places(context);
  set_priority(context, 1);
}

void end_turns(const KernelContext& context) {
  set_priority(context, 0);
  keep_apart(context);
  wait_for_turn(context, /*is_upper=*/false);
}

void end_multiplying(const KernelContext& context) {
  set_priority(context, 0);
  change_places(context);
}

}  // namespace heddle::compiler
