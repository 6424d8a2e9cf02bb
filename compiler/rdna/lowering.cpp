#include "compiler/rdna/lowering.h"

#include "compiler/kernel/branches.h"
#include "compiler/kernel/kernel_module_state.h"
#include "compiler/kernel/math_code.h"
#include "compiler/rdna/kernel.h"
#include "compiler/rdna/rocdl_passes.h"
#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"

namespace heddle::compiler {

void add_rocdl_lowering_passes(mlir::OpPassManager& passes, const std::string& chipset) {
  // The k loop becomes blocks and branches; the conversions below keep those as they are.
  passes.addPass(create_branches_pass());
  // What convert-gpu-to-rocdl would make calls of ROCm's device library of, which is not there.
  passes.addPass(create_math_pass(MathBackend::amdgpu));
  // amdgpu.wmma and amdgpu.lds_barrier become intrinsics of the target's instruction set.
  mlir::ConvertAMDGPUToROCDLPassOptions amdgpu;
  amdgpu.chipset = chipset;
  passes.addPass(mlir::createConvertAMDGPUToROCDLPass(amdgpu));
  // Everything else. Index arithmetic is 32 bits wide: LDS is, and buffers are addressed by 32-bit
  // offsets.
  mlir::ConvertGpuOpsToROCDLOpsOptions gpu;
  gpu.chipset = chipset;
  gpu.indexBitwidth = 32;
  gpu.runtime = mlir::gpu::amd::Runtime::HIP;
  passes.addPass(mlir::createConvertGpuOpsToROCDLOps(gpu));
  // Casts between index and i32 that met their inverse.
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
}

// convert-gpu-to-rocdl asks each dialect for its patterns, and translation each for its printer.
void register_rocdl_interfaces(mlir::MLIRContext& context) {
  mlir::DialectRegistry registry;
  mlir::arith::registerConvertArithToLLVMInterface(registry);
  mlir::cf::registerConvertControlFlowToLLVMInterface(registry);
  mlir::registerConvertMemRefToLLVMInterface(registry);
  mlir::vector::registerConvertVectorToLLVMInterface(registry);
  mlir::ub::registerConvertUBToLLVMInterface(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerROCDLDialectTranslation(registry);
  context.appendDialectRegistry(registry);
}

namespace {

// A kernel for RDNA.
struct RdnaState final : KernelModule::State {
  instruction::Target target{};

  void add_lowering_passes(mlir::OpPassManager& passes) const override {
    add_rocdl_lowering_passes(passes, std::string(instruction::name(target)));
  }

  void add_interfaces() override { register_rocdl_interfaces(context); }
};

}  // namespace

std::unique_ptr<KernelModule> rdna_kernel(const MatmulRequest& request,
                                          const plan::MatmulPlan& plan) {
  auto state = std::make_unique<RdnaState>();
  load_kernel_dialects(state->context);
  state->target = plan.target;
  state->module = build_kernel(state->context, request, plan);
  return std::make_unique<KernelModule>(std::move(state));
}

}  // namespace heddle::compiler
