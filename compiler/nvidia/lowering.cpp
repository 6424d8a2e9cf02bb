#include "compiler/nvidia/lowering.h"

#include "compiler/diagnostics.h"
#include "compiler/kernel/branches.h"
#include "compiler/kernel/math_code.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

namespace heddle::compiler {

void add_nvvm_lowering_passes(mlir::OpPassManager& gpu_module_passes, unsigned index_bits) {
  mlir::OpPassManager& passes = gpu_module_passes;
  // nvgpu.mma.sync, ldmatrix, device_async_copy … become nvvm operations while vectors and memrefs
  // are still typed.
  passes.addPass(mlir::createConvertNVGPUToNVVMPass());
  // Loops become blocks and branches; the conversions below keep those as they are.
  passes.addPass(create_branches_pass());
  // What convert-gpu-to-nvvm would make calls of CUDA's libdevice of, which is not there.
  passes.addPass(create_math_pass(MathBackend::nvptx));
  // Everything else. Where 32 bits are enough for index arithmetic, as for shared memory and its
  // addresses, wider ones only cost registers.
  mlir::ConvertGpuOpsToNVVMOpsOptions gpu;
  gpu.indexBitwidth = index_bits;
  passes.addPass(mlir::createConvertGpuOpsToNVVMOps(gpu));
  // The nvvm operations that LLVM has no intrinsic for are inline PTX.
  passes.addPass(mlir::createConvertNVVMToLLVMPass());
  // Casts between index and i32 that met their inverse.
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
}

void register_nvvm_interfaces(mlir::MLIRContext& context) {
  mlir::DialectRegistry registry;
  mlir::arith::registerConvertArithToLLVMInterface(registry);
  mlir::cf::registerConvertControlFlowToLLVMInterface(registry);
  mlir::registerConvertMemRefToLLVMInterface(registry);
  mlir::vector::registerConvertVectorToLLVMInterface(registry);
  mlir::registerConvertNVVMToLLVMInterface(registry);
  mlir::ub::registerConvertUBToLLVMInterface(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
}

namespace {

struct NvidiaState final : KernelModule::State {
  void add_lowering_passes(mlir::OpPassManager& passes) const override {
    add_nvvm_lowering_passes(passes);
  }
  void add_interfaces() override { register_nvvm_interfaces(context); }
};

}  // namespace

std::unique_ptr<KernelModule::State> nvidia_state() {
  auto state = std::make_unique<NvidiaState>();
  // No more than kernels need: loading them is a good part of the time that a compilation takes.
  state->context
      .loadDialect<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::gpu::GPUDialect,
                   mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect>();
  return state;
}

std::unique_ptr<llvm::Module> translate_kernels(mlir::Operation& kernels,
                                                llvm::LLVMContext& llvm_context,
                                                std::string& errors) {
  Diagnostics diagnostics("kernel");
  const auto handler = diagnostics.attach(*kernels.getContext());
  std::unique_ptr<llvm::Module> translated =
      mlir::translateModuleToLLVMIR(&kernels, llvm_context, "kernels");
  if (!translated) errors = diagnostics.text();
  return translated;
}

}  // namespace heddle::compiler
