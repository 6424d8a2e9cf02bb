#include "compiler/kernel/kernel_module.h"

#include "compiler/diagnostics.h"
#include "compiler/kernel/kernel_module_state.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

namespace heddle::compiler {
namespace {

// What makes the kernel readable, before it is printed or lowered.
void add_tidying_passes(mlir::OpPassManager& passes) {
  // The builder repeats constants and address arithmetic freely: fold and merge them while the
  // kernel is still structured. Of canonicalisation folding is enough: matching its patterns takes
  // most of its time, and LLVM has the same.
  mlir::GreedyRewriteConfig folding;
  folding.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  passes.addPass(mlir::createCanonicalizerPass(folding, {}, /*enabledPatterns=*/{"none"}));
  passes.addPass(mlir::createCSEPass());
  // Address arithmetic of the k loop that does not depend on k belongs before it.
  passes.addPass(mlir::createLoopInvariantCodeMotionPass());
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

}  // namespace

KernelModule::KernelModule(std::unique_ptr<State> state) : state_(std::move(state)) {}

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
  // What the builder made is verified once, below, and what becomes of it as LLVM IR.
  passes.enableVerifier(false);
  mlir::OpPassManager& kernel_passes = passes.nest<mlir::gpu::GPUModuleOp>();
  if (list == PassList::tidying) {
    add_tidying_passes(kernel_passes);
  } else {
    state_->add_lowering_passes(kernel_passes);
  }
  if (mlir::succeeded(passes.run(*state_->module))) return true;
  errors = diagnostics.text();
  return false;
}

bool KernelModule::tidy(std::string& errors) {
  {
    Diagnostics diagnostics("kernel");
    const auto handler = diagnostics.attach(state_->context);
    if (mlir::failed(mlir::verify(*state_->module))) {
      errors = diagnostics.text();
      return false;
    }
  }
  return run(PassList::tidying, errors);
}

std::unique_ptr<llvm::Module> KernelModule::lower(llvm::LLVMContext& llvm_context,
                                                  std::string& errors) {
  state_->add_interfaces();
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
