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
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

namespace heddle::compiler {
namespace {

// What makes the kernel readable, before it is printed or lowered.
void add_tidying_passes(mlir::OpPassManager& passes) {
  // The builder repeats constants and address arithmetic freely: fold and merge them while the
  // kernel is still structured.
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  // Address arithmetic of the k loop that does not depend on k belongs before it.
  passes.addPass(mlir::createLoopInvariantCodeMotionPass());
}

void add_lowering_passes(mlir::OpPassManager& passes, const std::string& chipset) {
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

// The annotation of the k loop arrives at its branch as an attribute that translation does not know
// (MLIR 22): give it the name that it does.
void keep_loop_annotations(mlir::ModuleOp module) {
  module.walk([](mlir::LLVM::BrOp branch) {
    if (const auto annotation =
            branch->getAttrOfType<mlir::LLVM::LoopAnnotationAttr>("llvm.loop_annotation"))
      branch.setLoopAnnotationAttr(annotation);
  });
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
  state_->module->print(stream, mlir::OpPrintingFlags().printNameLocAsPrefix());
  return text;
}

bool KernelModule::run(PassList list, std::string& errors) {
  Diagnostics diagnostics("kernel");
  const auto handler = diagnostics.attach(state_->context);
  mlir::PassManager passes(&state_->context);
  mlir::OpPassManager& kernel_passes = passes.nest<mlir::gpu::GPUModuleOp>();
  if (list == PassList::tidying) {
    add_tidying_passes(kernel_passes);
  } else {
    add_lowering_passes(kernel_passes, std::string(instruction::name(state_->target)));
  }
  if (mlir::succeeded(passes.run(*state_->module))) return true;
  errors = diagnostics.text();
  return false;
}

bool KernelModule::tidy(std::string& errors) { return run(PassList::tidying, errors); }

std::unique_ptr<llvm::Module> KernelModule::lower(llvm::LLVMContext& llvm_context,
                                                  std::string& errors) {
  register_interfaces(state_->context);
  if (!run(PassList::lowering, errors)) return nullptr;
  keep_loop_annotations(*state_->module);
  Diagnostics diagnostics("kernel");
  const auto handler = diagnostics.attach(state_->context);
  mlir::Operation& kernels = state_->module->getBody()->front();
  std::unique_ptr<llvm::Module> translated =
      mlir::translateModuleToLLVMIR(&kernels, llvm_context, "kernels");
  if (!translated) errors = diagnostics.text();
  return translated;
}

}  // namespace heddle::compiler
