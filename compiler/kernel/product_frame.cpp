#include "compiler/kernel/product_frame.h"

#include <bit>

#include "compiler/kernel/kernel_module_state.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

Value as_i32(const ThreadContext& context, Value index) {
  return mlir::arith::IndexCastOp::create(context.builder, context.builder.getI32Type(), index);
}

mlir::scf::ForOp loop_of(const ThreadContext& context, Value from, Value to, Value step,
                         const std::vector<Value>& first, CarryOver body) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  auto loop = mlir::scf::ForOp::create(builder, from, to, step, first);
  const mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  const auto arguments = loop.getRegionIterArgs();
  const std::vector<Value> next =
      body(loop.getInductionVar(), std::vector<Value>(arguments.begin(), arguments.end()));
  if (!next.empty()) mlir::scf::YieldOp::create(builder, next);  // else the loop has one
  return loop;
}

std::vector<Value> results_of(mlir::scf::ForOp loop) {
  return {loop.getResults().begin(), loop.getResults().end()};
}

}  // namespace

std::unique_ptr<KernelModule> kernel_for(
    instruction::Target target,
    llvm::function_ref<void(mlir::ImplicitLocOpBuilder&, mlir::gpu::GPUModuleOp)> fill,
    unsigned index_bits) {
  auto state = std::make_unique<KernelModule::State>(target);
  state->index_bits = index_bits;
  const mlir::Location location = mlir::UnknownLoc::get(&state->context);
  state->module = mlir::ModuleOp::create(location);
  mlir::ImplicitLocOpBuilder builder(location, &state->context);
  builder.setInsertionPointToStart(state->module->getBody());
  auto kernels = mlir::gpu::GPUModuleOp::create(builder, "kernels");
  builder.setInsertionPointToStart(kernels.getBody());
  fill(builder, kernels);
  return std::make_unique<KernelModule>(std::move(state));
}

std::vector<mlir::Type> parameter_types(mlir::Builder& builder, const MatmulRequest& request,
                                        bool has_workspace) {
  const auto pointer = mlir::LLVM::LLVMPointerType::get(builder.getContext(), 1);
  std::vector<mlir::Type> types;
  for (const Role role : parameter_roles(request))
    types.push_back(role == Role::size ? builder.getI32Type() : mlir::Type(pointer));
  if (has_workspace) types.push_back(pointer);
  return types;
}

BlockPart part_of_k(const SizedContext& context, const plan::ProductPlan& plan, Value part,
                    Value tile) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const std::int64_t k = plan.problem.k, part_k = plan.part_k();
  BlockPart block{{part_k, {}}, part, {}, tile};
  context.named("part", part);
  block.first_k = context.named("first_k", context.multiply(part, part_k));
  if (k == part_k * plan.tiles.split_k) return block;
  const Value left = mlir::arith::SubIOp::create(builder, context.constant(k), block.first_k);
  block.depth = {-1, mlir::arith::MinUIOp::create(builder, left, context.constant(part_k))};
  return block;
}

std::vector<Value> listed(std::initializer_list<const std::vector<Value>*> lists) {
  std::vector<Value> all;
  for (const std::vector<Value>* list : lists) all.insert(all.end(), list->begin(), list->end());
  return all;
}

void spread(mlir::ValueRange all, std::initializer_list<std::vector<Value>*> lists) {
  std::size_t at = 0;
  for (std::vector<Value>* list : lists)
    for (Value& value : *list) value = all[at++];
}

Value block_number(const ThreadContext& context, mlir::gpu::Dimension dimension) {
  return as_i32(context, mlir::gpu::BlockIdOp::create(context.builder, dimension));
}

void place_thread(ThreadContext& context, int lanes) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const Value thread =
      as_i32(context, mlir::gpu::ThreadIdOp::create(builder, mlir::gpu::Dimension::x));
  const int shift = std::countr_zero(static_cast<unsigned>(lanes));
  context.lane = context.named(
      "lane", mlir::arith::AndIOp::create(builder, thread, context.constant(lanes - 1)));
  context.warp =
      context.named("warp", mlir::arith::ShRUIOp::create(builder, thread, context.constant(shift)));
}

Value thread_number(const ThreadContext& context, int lanes) {
  return context.add(context.multiply(context.warp, std::int64_t{lanes}), context.lane);
}

void run_if(const ThreadContext& context, Value condition, llvm::function_ref<void()> yes,
            llvm::function_ref<void()> no) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  auto branch = mlir::scf::IfOp::create(builder, condition, /*withElseRegion=*/bool(no));
  const mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  yes();
  if (!no) return;
  builder.setInsertionPointToStart(branch.elseBlock());
  no();
}

std::vector<Value> counted_loop(const ThreadContext& context, Value from, Value to, Value step,
                                const std::vector<Value>& first, CarryOver body) {
  return results_of(loop_of(context, from, to, step, first, body));
}

std::vector<Value> rolled_loop(const ThreadContext& context, Value from, Value to,
                               const std::vector<Value>& first, CarryOver body, std::int64_t step) {
  mlir::MLIRContext* owner = context.builder.getContext();
  auto loop = loop_of(context, from, to, context.constant(step), first, body);
  const auto unroll = mlir::LLVM::LoopUnrollAttr::get(
      owner, /*disable=*/mlir::BoolAttr::get(owner, true), {}, {}, {}, {}, {}, {});
  loop->setAttr("llvm.loop_annotation",
                mlir::LLVM::LoopAnnotationAttr::get(owner, {}, {}, {}, unroll, {}, {}, {}, {}, {},
                                                    {}, {}, {}, {}, {}, {}));
  return results_of(loop);
}

}  // namespace heddle::compiler
