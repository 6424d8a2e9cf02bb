#include "compiler/kernel_context.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

// Word 3 of a buffer descriptor, RDNA3 and RDNA4 Instruction Set Architecture, "Buffer Resource
// Descriptor": 32-bit float format (7 in bits 12-17 and 4 above, as LLVM and HIP set it), bit 24
// (resource level, reserved since gfx11), and OOB_SELECT 3 in bits 28-29: compare byte offsets.
constexpr std::uint32_t descriptor_word3 = 3u << 28 | 1u << 24 | 4u << 15 | 7u << 12;

mlir::VectorType integers(const KernelContext& context, int count) {
  return mlir::VectorType::get({count}, context.element());
}

mlir::Value shared_index(const KernelContext& context, mlir::Value base, std::int64_t constant) {
  return context.index(context.add(base, constant));
}

}  // namespace

mlir::Value make_buffer(const KernelContext& context, mlir::Value pointer, std::int64_t bytes) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const auto type = mlir::LLVM::LLVMPointerType::get(builder.getContext(), 8);
  const mlir::Value stride = mlir::arith::ConstantOp::create(builder, builder.getI16IntegerAttr(0));
  const mlir::Value size =
      mlir::arith::ConstantOp::create(builder, builder.getI64IntegerAttr(bytes));
  return mlir::ROCDL::MakeBufferRsrcOp::create(builder, type, pointer, stride, size,
                                               context.constant(descriptor_word3));
}

mlir::Value load_buffer(const KernelContext& context, mlir::Type type, mlir::Value buffer,
                        mlir::Value offset) {
  const mlir::Value zero = context.constant(0);
  const mlir::ArrayAttr none;  // alias and type information
  return mlir::ROCDL::RawPtrBufferLoadOp::create(context.builder, type, buffer, offset, zero, zero,
                                                 none, none, none);
}

void store_buffer(const KernelContext& context, mlir::Value value, mlir::Value buffer,
                  mlir::Value offset) {
  const mlir::Value zero = context.constant(0);
  const mlir::ArrayAttr none;  // alias and type information
  mlir::ROCDL::RawPtrBufferStoreOp::create(context.builder, value, buffer, offset, zero, zero, none,
                                           none, none);
}

mlir::Value load_shared(const KernelContext& context, int count, mlir::Value base,
                        std::int64_t constant) {
  auto load = mlir::vector::LoadOp::create(context.builder, integers(context, count),
                                           context.shared, shared_index(context, base, constant));
  load.setAlignment(count * plan::element_bytes);
  return load;
}

void store_shared(const KernelContext& context, mlir::Value vector, mlir::Value base,
                  std::int64_t constant) {
  const auto count = mlir::cast<mlir::VectorType>(vector.getType()).getNumElements();
  auto store = mlir::vector::StoreOp::create(context.builder, vector, context.shared,
                                             shared_index(context, base, constant));
  store.setAlignment(count * plan::element_bytes);
}

void keep_apart(const KernelContext& context) {
  mlir::amdgpu::SchedBarrierOp::create(context.builder, mlir::amdgpu::sched_barrier_opt_enum::none);
}

}  // namespace heddle::compiler
