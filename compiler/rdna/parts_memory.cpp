#include "compiler/rdna/kernel_context.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

class Memory final : public PartsMemory {
 public:
  Memory(const KernelContext& context, Value workspace)
      : PartsMemory(workspace, "agent"),
        context_(context),
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

}  // namespace

std::unique_ptr<PartsMemory> parts_memory(const KernelContext& context, Value workspace) {
  return std::make_unique<Memory>(context, workspace);
}

}  // namespace heddle::compiler
