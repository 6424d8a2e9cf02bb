#include "compiler/kernel/kernel_module.h"

#include "compiler/diagnostics.h"
#include "compiler/kernel/kernel_module_state.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace heddle::compiler {
namespace {

// The passes that make the kernel readable before it is printed or lowered.
void add_tidying_passes(mlir::OpPassManager& passes) {
  // The builder of kernels repeats constants and address arithmetic freely. These passes fold and
  // merge them while the kernel still has loops. Of canonicalisation only folding is enabled: its
  // patterns would take most of the time, and LLVM has the same patterns.
  mlir::GreedyRewriteConfig folding;
  folding.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  passes.addPass(mlir::createCanonicalizerPass(folding, {}, /*enabledPatterns=*/{"none"}));
  passes.addPass(mlir::createCSEPass());
  // Moves address arithmetic that does not depend on k out of the k loop.
  passes.addPass(mlir::createLoopInvariantCodeMotionPass());
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

bool KernelModule::tidy(std::string& errors) {
  Diagnostics diagnostics("kernel");
  const auto handler = diagnostics.attach(state_->context);
  mlir::PassManager passes(&state_->context);
  // The verifier does not run after each pass: the module is verified here, and again as LLVM IR.
  passes.enableVerifier(false);
  add_tidying_passes(passes.nest<mlir::gpu::GPUModuleOp>());
  if (mlir::succeeded(mlir::verify(*state_->module)) &&
      mlir::succeeded(passes.run(*state_->module)))
    return true;
  errors = diagnostics.text();
  return false;
}

std::unique_ptr<llvm::Module> KernelModule::lower(llvm::LLVMContext& llvm_context,
                                                  std::string& errors) {
  return lowered(*state_->module, {.target = state_->target, .index_bits = state_->index_bits},
                 llvm_context, errors);
}

}  // namespace heddle::compiler
