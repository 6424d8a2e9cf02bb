#include "compiler/lowering.h"

#include "compiler/diagnostics.h"
#include "compiler/kernel.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

namespace heddle::compiler {
namespace {

void add_passes(mlir::OpPassManager& passes, const std::string& chipset) {
  // The builder repeats constants and address arithmetic freely; fold and merge them first, while
  // the kernel is still structured.
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  // Address arithmetic of the k loop that does not depend on k: MLIR still knows the loop's shape.
  passes.addPass(mlir::createLoopInvariantCodeMotionPass());
  // The k loop becomes blocks and branches; the conversions below keep those as they are.
  passes.addPass(mlir::createSCFToControlFlowPass());
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
void register_interfaces(mlir::MLIRContext& context) {
  mlir::DialectRegistry registry;
  mlir::arith::registerConvertArithToLLVMInterface(registry);
  mlir::cf::registerConvertControlFlowToLLVMInterface(registry);
  mlir::registerConvertMemRefToLLVMInterface(registry);
  mlir::vector::registerConvertVectorToLLVMInterface(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerROCDLDialectTranslation(registry);
  context.appendDialectRegistry(registry);
}

}  // namespace

struct KernelModule::State {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  instruction::Target target;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

KernelModule::KernelModule(const MatmulRequest& request, const plan::MatmulPlan& plan)
    : state_(std::make_unique<State>()) {
  load_kernel_dialects(state_->context);
  state_->target = plan.target;
  state_->module = build_kernel(state_->context, request, plan);
}

KernelModule::~KernelModule() = default;

std::string KernelModule::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  state_->module->print(stream);
  return text;
}

std::unique_ptr<llvm::Module> KernelModule::lower(llvm::LLVMContext& llvm_context,
                                                  std::string& errors) {
  mlir::MLIRContext& context = state_->context;
  Diagnostics diagnostics("kernel");
  const auto handler = diagnostics.attach(context);
  register_interfaces(context);
  mlir::PassManager passes(&context);
  add_passes(passes.nest<mlir::gpu::GPUModuleOp>(), std::string(instruction::name(state_->target)));
  std::unique_ptr<llvm::Module> translated;
  if (mlir::succeeded(passes.run(*state_->module))) {
    mlir::Operation& kernels = state_->module->getBody()->front();
    translated = mlir::translateModuleToLLVMIR(&kernels, llvm_context, "kernels");
  }
  if (!translated) errors = diagnostics.text();
  return translated;
}

}  // namespace heddle::compiler
