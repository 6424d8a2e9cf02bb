#include "compiler/nvidia/mma_context.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

class Memory final : public PartsMemory {
 public:
  Memory(const MmaContext& context, Value workspace)
      : PartsMemory(workspace, "device"), context_(context) {}

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
  Value at(Value offset) const { return context_.further(workspace, context_.wide(offset)); }

  const MmaContext& context_;
};

}  // namespace

std::unique_ptr<PartsMemory> parts_memory(const MmaContext& context, Value workspace) {
  return std::make_unique<Memory>(context, workspace);
}

}  // namespace heddle::compiler
