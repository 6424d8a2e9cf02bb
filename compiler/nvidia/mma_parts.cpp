#include "compiler/nvidia/mma_parts.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

class Memory final : public PartsMemory {
 public:
  Memory(const MmaContext& context, Value workspace) : context_(context), workspace_(workspace) {}

  Value load(mlir::Type type, Value offset) const override {
    return mlir::LLVM::LoadOp::create(context_.builder, type, at(offset), /*alignment=*/4);
  }
  void store(Value value, Value offset) const override {
    mlir::LLVM::StoreOp::create(context_.builder, value, at(offset), /*alignment=*/4);
  }
  Value load_shared() const override {
    return mlir::LLVM::LoadOp::create(context_.builder, context_.builder.getI32Type(),
                                      context_.shared, /*alignment=*/4);
  }
  void store_shared(Value word) const override {
    mlir::LLVM::StoreOp::create(context_.builder, word, context_.shared, /*alignment=*/4);
  }
  // Copies that nobody waited for may still write zeros to the stages.
  void barrier() const override {
    mlir::NVVM::CpAsyncWaitGroupOp::create(context_.builder, 0);
    mlir::NVVM::Barrier0Op::create(context_.builder);
  }

 private:
  Value at(Value offset) const { return context_.further(workspace_, context_.wide(offset)); }

  const MmaContext& context_;
  Value workspace_;
};

}  // namespace

void add_parts(const MmaContext& context, const Sums& sums, Value workspace,
               llvm::function_ref<void(const Sums&)> finish) {
  const Parts parts{.tiles = context.plan.tiles_of_d(),
                    .splits = context.plan.tiles.split_k,
                    .threads = context.plan.tiles.threads(),
                    .tile = context.tile,
                    .part = context.part,
                    .workspace = workspace,
                    .scope = "device"};
  add_parts(context, parts, Memory(context, workspace), sums, finish);
}

}  // namespace heddle::compiler
