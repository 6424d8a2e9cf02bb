#include "compiler/rdna/parts_memory.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

class Memory final : public PartsMemory {
 public:
  Memory(const KernelContext& context, Value workspace)
      : context_(context),
        buffer_(make_buffer(context, workspace, context.plan.workspace_bytes())) {}

  Value load(mlir::Type type, Value offset) const override {
    return load_buffer(context_, type, buffer_, offset);
  }
  void store(Value value, Value offset) const override {
    store_buffer(context_, value, buffer_, offset);
  }
  // LDS has elements of A and B: as many of their bits as the numbers of parts need.
  Value load_shared() const override {
    const Value word = mlir::vector::ExtractOp::create(
        context_.builder, compiler::load_shared(context_, 1, context_.constant(0), 0),
        std::int64_t{0});
    if (word.getType().isInteger(32)) return word;
    return mlir::arith::ExtUIOp::create(context_.builder, context_.builder.getI32Type(), word);
  }
  void store_shared(Value word) const override {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const mlir::Type element = context_.element();
    if (element != word.getType()) word = mlir::arith::TruncIOp::create(builder, element, word);
    const auto one = mlir::VectorType::get({1}, element);
    compiler::store_shared(context_, mlir::vector::FromElementsOp::create(builder, one, word),
                           context_.constant(0), 0);
  }
  void barrier() const override { mlir::amdgpu::LDSBarrierOp::create(context_.builder); }

 private:
  const KernelContext& context_;
  Value buffer_;
};

std::int64_t width(Value vector) {
  return mlir::cast<mlir::VectorType>(vector.getType()).getNumElements();
}

}  // namespace

void add_parts(const KernelContext& context, const std::vector<Value>& sums, Value workspace,
               llvm::function_ref<void(const std::vector<Value>&)> finish) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const Memory memory(context, workspace);
  const Parts parts{.tiles = context.plan.tiles_of_d(),
                    .splits = context.plan.tiles.split_k,
                    .threads = context.plan.tiles.threads(),
                    .tile = context.tile,
                    .part = context.part,
                    .workspace = workspace,
                    .scope = "agent"};
  std::vector<Value> elements;
  for (const Value sum : sums)
    for (std::int64_t i = 0; i < width(sum); ++i)
      elements.push_back(mlir::vector::ExtractOp::create(builder, sum, i));
  add_parts(context, parts, memory, elements, [&](const std::vector<Value>& all) {
    std::vector<Value> vectors;
    auto next = all.begin();
    for (const Value sum : sums) {
      const std::vector<Value> some(next, next + width(sum));
      next += width(sum);
      vectors.push_back(mlir::vector::FromElementsOp::create(
          builder, mlir::cast<mlir::VectorType>(sum.getType()), some));
    }
    finish(vectors);
  });
}

}  // namespace heddle::compiler
