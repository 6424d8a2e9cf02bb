#include "compiler/kernel/parts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// Where the sums of a thread lie: those of a warp side by side, one element after the other.
class Workspace {
 public:
  Workspace(const ThreadContext& context, const plan::ProductPlan& plan, const BlockPart& block,
            const PartsMemory& memory)
      : context_(context), plan_(plan), block_(block), memory_(memory) {
    const Value tile = context.multiply(block.tile, plan.tiles.split_k * plan.part_words());
    thread_ = context.add(context.multiply(context.warp, std::int64_t{32}), context.lane);
    first_ = context.multiply(context.add(context.add(tile, thread_), plan.tiles_of_d()),
                              std::int64_t{4});
  }

  Value thread() const { return thread_; }

  void leave(const std::vector<Value>& sums) const {
    std::int64_t number = 0;
    for (const Value sum : sums) memory_.store(sum, at(block_.part, number++));
  }

  // The sums of part `part`, of the types of `like`.
  std::vector<Value> left(Value part, const std::vector<Value>& like) const {
    std::vector<Value> sums;
    std::int64_t number = 0;
    for (const Value sum : like) sums.push_back(memory_.load(sum.getType(), at(part, number++)));
    return sums;
  }

  // Counts this block, and returns how many of its tile were there before.
  Value arrive() const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const Value offset =
        mlir::arith::ExtUIOp::create(builder, builder.getI64Type(), counter_offset());
    const Value counter =
        mlir::LLVM::GEPOp::create(builder, memory_.workspace.getType(), builder.getI8Type(),
                                  memory_.workspace, mlir::ValueRange{offset});
    return mlir::LLVM::AtomicRMWOp::create(builder, mlir::LLVM::AtomicBinOp::add, counter,
                                           context_.constant(1),
                                           mlir::LLVM::AtomicOrdering::acq_rel, memory_.scope);
  }
  void clear_counter() const { memory_.store(context_.constant(0), counter_offset()); }

 private:
  Value counter_offset() const { return context_.multiply(block_.tile, std::int64_t{4}); }
  Value at(Value part, std::int64_t element) const {
    const Value begin = context_.multiply(part, 4 * plan_.part_words());
    return context_.add(context_.add(first_, begin), 4 * element * plan_.tiles.threads());
  }

  const ThreadContext& context_;
  const plan::ProductPlan& plan_;
  const BlockPart& block_;
  const PartsMemory& memory_;
  Value thread_, first_;
};

// Whether this block is the last of its tile: one thread counts, and tells the others.
Value is_last(const ThreadContext& context, const PartsMemory& memory, const Workspace& workspace,
              std::int64_t splits) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  auto branch = mlir::scf::IfOp::create(builder, context.less(workspace.thread(), 1),
                                        /*withElseRegion=*/false);
  {
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    memory.store_shared(workspace.arrive());
  }
  memory.barrier();
  return mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::eq, memory.load_shared(),
                                     context.constant(splits - 1));
}

}  // namespace

void add_parts(const ThreadContext& context, const plan::ProductPlan& plan, const BlockPart& block,
               const PartsMemory& memory, const std::vector<Value>& sums,
               llvm::function_ref<void(const std::vector<Value>&)> finish) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const auto fence = [&](mlir::LLVM::AtomicOrdering ordering) {
    mlir::LLVM::FenceOp::create(builder, ordering, memory.scope);
  };
  const Workspace workspace(context, plan, block, memory);
  workspace.leave(sums);
  // Every thread's sums are there before its block is counted.
  fence(mlir::LLVM::AtomicOrdering::release);
  memory.barrier();
  auto branch =
      mlir::scf::IfOp::create(builder, is_last(context, memory, workspace, plan.tiles.split_k),
                              /*withElseRegion=*/false);
  const mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  fence(mlir::LLVM::AtomicOrdering::acquire);
  const std::vector<Value> all = workspace.left(context.constant(0), sums);
  const std::vector<Value> total =
      counted_loop(context, context.constant(1), context.constant(plan.tiles.split_k),
                   context.constant(1), all, [&](Value part, std::vector<Value> values) {
                     const std::vector<Value> next = workspace.left(part, sums);
                     for (std::size_t i = 0; i < next.size(); ++i)
                       values[i] = combined(builder, plan.problem.combine, values[i], next[i]);
                     return values;
                   });
  workspace.clear_counter();
  finish(total);
}

}  // namespace heddle::compiler
