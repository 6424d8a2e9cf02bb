#include "compiler/kernel/parts.h"

#include "compiler/kernel/expression_code.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

constexpr unsigned word_bytes = 4;

// Where the sums of a thread lie: those of a warp side by side, one element after the other. Behind
// the counters those of 64 bits are aligned to 32 alone.
class Workspace {
 public:
  Workspace(const SizedContext& context, const plan::ProductPlan& plan, const BlockPart& block,
            const PartsMemory& memory)
      : context_(context), plan_(plan), workspace_(memory.workspace) {
    const Value tile = context.multiply(block.tile, plan.tiles.split_k * plan.part_words());
    thread_ = context.add(context.multiply(context.warp, std::int64_t{plan.tiles.lanes}), context.lane);
    first_ =
        context.add(context.add(tile, context.multiply(thread_, std::int64_t{plan.sum_words()})),
                    plan.tiles_of_d());
    counter_ = at(block.tile);
  }

  Value thread() const { return thread_; }
  Value counter() const { return counter_; }

  void leave(Value part, const std::vector<Value>& sums) const {
    const Value first = of_part(part);
    for (std::size_t i = 0; i < sums.size(); ++i)
      mlir::LLVM::StoreOp::create(context_.builder, sums[i], element(first, i), word_bytes);
  }
  // The sums of part `part`, of the types of `like`.
  std::vector<Value> left(Value part, const std::vector<Value>& like) const {
    const Value first = of_part(part);
    std::vector<Value> sums;
    for (std::size_t i = 0; i < like.size(); ++i)
      sums.push_back(mlir::LLVM::LoadOp::create(context_.builder, like[i].getType(),
                                                element(first, i), word_bytes));
    return sums;
  }

 private:
  Value at(Value word) const {
    const Value offset = context_.multiply(word, std::int64_t{word_bytes});
    return context_.further(workspace_, context_.wide(offset));
  }
  Value of_part(Value part) const {
    return at(context_.add(first_, context_.multiply(part, plan_.part_words())));
  }
  Value element(Value first, std::size_t number) const {
    const std::int64_t sum_bytes = std::int64_t{word_bytes} * plan_.sum_words();
    return context_.further(first,
                            static_cast<std::int64_t>(number) * sum_bytes * plan_.tiles.threads());
  }

  const SizedContext& context_;
  const plan::ProductPlan& plan_;
  Value workspace_, thread_, first_, counter_;
};

// Whether this block is the last of its tile: one thread counts, and tells the others.
Value is_last(const SizedContext& context, const PartsMemory& memory, const Workspace& workspace,
              std::int64_t splits) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  run_if(context, context.less(workspace.thread(), 1), [&] {
    const Value before = mlir::LLVM::AtomicRMWOp::create(
        builder, mlir::LLVM::AtomicBinOp::add, workspace.counter(), context.constant(1),
        mlir::LLVM::AtomicOrdering::acq_rel, memory.scope);
    mlir::LLVM::StoreOp::create(builder, before, memory.shared, word_bytes);
  });
  memory.barrier();
  const Value told =
      mlir::LLVM::LoadOp::create(builder, builder.getI32Type(), memory.shared, word_bytes);
  return context.equal(told, splits - 1);
}

}  // namespace

void add_parts(const SizedContext& context, const plan::ProductPlan& plan, const BlockPart& block,
               const PartsMemory& memory, const std::vector<Value>& sums,
               llvm::function_ref<void(const std::vector<Value>&)> finish) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const auto fence = [&](mlir::LLVM::AtomicOrdering ordering) {
    mlir::LLVM::FenceOp::create(builder, ordering, memory.scope);
  };
  const Workspace workspace(context, plan, block, memory);
  workspace.leave(block.part, sums);
  // Every thread's sums are there before its block is counted.
  fence(mlir::LLVM::AtomicOrdering::release);
  memory.barrier();
  run_if(context, is_last(context, memory, workspace, plan.tiles.split_k), [&] {
    fence(mlir::LLVM::AtomicOrdering::acquire);
    const std::vector<Value> total = counted_loop(
        context, context.constant(1), context.constant(plan.tiles.split_k), context.constant(1),
        workspace.left(context.constant(0), sums), [&](Value part, std::vector<Value> values) {
          const std::vector<Value> next = workspace.left(part, sums);
          for (std::size_t i = 0; i < next.size(); ++i)
            values[i] = combined(builder, plan.problem.combine, values[i], next[i]);
          return values;
        });
    // Other blocks count here by atomics, and a store that is none would race with them.
    mlir::LLVM::StoreOp::create(builder, context.constant(0), workspace.counter(), word_bytes,
                                /*isVolatile=*/false, /*isNonTemporal=*/false,
                                /*isInvariantGroup=*/false,
                                mlir::LLVM::AtomicOrdering::monotonic, memory.scope);
    finish(total);
  });
}

}  // namespace heddle::compiler
