#include "compiler/rdna/parts.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// Where the sums of a thread lie: those of a wave side by side, one element after the other.
class Workspace {
 public:
  Workspace(const KernelContext& context, Value pointer) : context_(context), pointer_(pointer) {
    const plan::MatmulPlan& plan = context.plan;
    buffer_ = make_buffer(context, pointer, plan.workspace_bytes());
    const Value thread =
        context.add(context.multiply(context.warp, std::int64_t{plan::wave_lanes}), context.lane);
    const Value tile = context.multiply(context.tile, plan.splits * plan.part_words());
    thread_ =
        context.multiply(context.add(context.add(tile, thread), plan.tiles()), std::int64_t{4});
  }

  Value at(Value part, std::int64_t element) const {
    const std::int64_t threads = context_.plan.block.threads();
    const Value begin = context_.multiply(part, 4 * context_.plan.part_words());
    return context_.add(context_.add(thread_, begin), 4 * element * threads);
  }

  // Counts this workgroup, and returns how many of its tile were there before.
  Value arrive() const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    return mlir::LLVM::AtomicRMWOp::create(builder, mlir::LLVM::AtomicBinOp::add, counter(),
                                           context_.constant(1),
                                           mlir::LLVM::AtomicOrdering::acq_rel, "agent");
  }
  void clear_counter() const {
    store_buffer(context_, context_.constant(0), buffer_,
                 context_.multiply(context_.tile, std::int64_t{4}));
  }

  Value buffer() const { return buffer_; }

 private:
  Value counter() const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const Value offset = mlir::arith::ExtUIOp::create(
        builder, builder.getI64Type(), context_.multiply(context_.tile, std::int64_t{4}));
    return mlir::LLVM::GEPOp::create(builder, pointer_.getType(), builder.getI8Type(), pointer_,
                                     mlir::ValueRange{offset});
  }

  const KernelContext& context_;
  Value pointer_, buffer_, thread_;
};

void fence(const KernelContext& context, mlir::LLVM::AtomicOrdering ordering) {
  mlir::LLVM::FenceOp::create(context.builder, ordering, "agent");
}

void barrier(const KernelContext& context) { mlir::amdgpu::LDSBarrierOp::create(context.builder); }

Value sum_of(const KernelContext& context, Value x, Value y) {
  const auto type = mlir::cast<mlir::VectorType>(x.getType()).getElementType();
  if (type.isIntOrIndex()) return mlir::arith::AddIOp::create(context.builder, x, y);
  return mlir::arith::AddFOp::create(context.builder, x, y);
}

void leave(const KernelContext& context, const Workspace& workspace,
           const std::vector<Value>& sums) {
  std::int64_t number = 0;
  for (const Value sum : sums) {
    const auto count = mlir::cast<mlir::VectorType>(sum.getType()).getNumElements();
    for (std::int64_t i = 0; i < count; ++i)
      store_buffer(context, mlir::vector::ExtractOp::create(context.builder, sum, i),
                   workspace.buffer(), workspace.at(context.part, number++));
  }
}

// The sums of part `part`, of the types of `like`.
std::vector<Value> left(const KernelContext& context, const Workspace& workspace, Value part,
                        const std::vector<Value>& like) {
  std::vector<Value> sums;
  std::int64_t number = 0;
  for (const Value sum : like) {
    const auto type = mlir::cast<mlir::VectorType>(sum.getType());
    std::vector<Value> elements;
    for (std::int64_t i = 0; i < type.getNumElements(); ++i)
      elements.push_back(load_buffer(context, type.getElementType(), workspace.buffer(),
                                     workspace.at(part, number++)));
    sums.push_back(mlir::vector::FromElementsOp::create(context.builder, type, elements));
  }
  return sums;
}

// Whether this workgroup is the last of its tile: one thread counts, and tells the others through
// LDS, whose tiles nobody reads any more.
Value is_last(const KernelContext& context, const Workspace& workspace) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const Value thread =
      context.add(context.multiply(context.warp, std::int64_t{plan::wave_lanes}), context.lane);
  const Value zero = context.constant(0);
  const mlir::Type element = context.element();
  const auto one = mlir::VectorType::get({1}, element);
  const Value first = context.less(thread, 1);
  auto branch = mlir::scf::IfOp::create(builder, first, /*withElseRegion=*/false);
  {
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value before = workspace.arrive();
    if (element != before.getType())
      before = mlir::arith::TruncIOp::create(builder, element, before);
    store_shared(context, mlir::vector::FromElementsOp::create(builder, one, before), zero, 0);
  }
  barrier(context);
  const Value before =
      mlir::vector::ExtractOp::create(builder, load_shared(context, 1, zero, 0), std::int64_t{0});
  const Value last = mlir::arith::ConstantOp::create(
      builder, builder.getIntegerAttr(element, context.plan.splits - 1));
  return mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::eq, before, last);
}

}  // namespace

void add_parts(const KernelContext& context, const std::vector<Value>& sums, Value pointer,
               llvm::function_ref<void(const std::vector<Value>&)> finish) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const Workspace workspace(context, pointer);
  leave(context, workspace, sums);
  // Every wave's sums are there before its workgroup is counted.
  fence(context, mlir::LLVM::AtomicOrdering::release);
  barrier(context);
  auto branch = mlir::scf::IfOp::create(builder, is_last(context, workspace),
                                        /*withElseRegion=*/false);
  const mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  fence(context, mlir::LLVM::AtomicOrdering::acquire);
  std::vector<Value> all = left(context, workspace, context.constant(0), sums);
  auto loop =
      mlir::scf::ForOp::create(builder, context.constant(1), context.constant(context.plan.splits),
                               context.constant(1), all);
  {
    const mlir::OpBuilder::InsertionGuard inside(builder);
    builder.setInsertionPointToStart(loop.getBody());
    std::vector<Value> next = left(context, workspace, loop.getInductionVar(), sums);
    for (std::size_t i = 0; i < next.size(); ++i)
      next[i] = sum_of(context, loop.getRegionIterArgs()[i], next[i]);
    mlir::scf::YieldOp::create(builder, next);
  }
  workspace.clear_counter();
  finish({loop.getResults().begin(), loop.getResults().end()});
}

}  // namespace heddle::compiler
