#include "compiler/codegen/ptx.h"

#include "library/text/formatted.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::compiler {
namespace {

constexpr const char* nvptx_triple = "nvptx64-nvidia-cuda";

std::string ptx_version(instruction::Target target) {
  return formatted("+ptx{}", instruction::processor(target).ptx);
}

// True if all threads of a warp must execute this call together. LLVM 22 does not mark the
// intrinsics of mma.sync and ldmatrix as convergent. If only some lanes store the result of such a
// call, LLVM would move the call to a place that only these lanes reach.
bool needs_whole_warp(const llvm::CallInst& call) {
  if (call.isInlineAsm()) return true;
  const llvm::Function* called = call.getCalledFunction();
  return called != nullptr && (called->getName().starts_with("llvm.nvvm.mma.") ||
                               called->getName().starts_with("llvm.nvvm.ldmatrix."));
}

// Marks instructions that all threads of a warp must execute together as convergent, so that LLVM
// does not move them to a place that only some threads reach. This is done here, since inline PTX
// in MLIR 22 has no attribute for it.
void keep_warps_together(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : block) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call != nullptr && needs_whole_warp(*call)) call->setConvergent();
    }
  }
  function.setConvergent();
}

}  // namespace

std::expected<std::unique_ptr<llvm::TargetMachine>, std::string> nvptx_machine(
    instruction::Target target) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  std::string error;
  const llvm::Triple nvptx(nvptx_triple);
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(nvptx, error);
  if (found == nullptr) return std::unexpected("LLVM has no NVPTX backend: " + error);
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      nvptx, instruction::name(target), ptx_version(target), llvm::TargetOptions(), std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Default));
  if (machine == nullptr) return std::unexpected("LLVM cannot describe the target");
  return machine;
}

void prepare_nvptx(llvm::Module& module, int threads) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) keep_warps_together(function);
    if (function.getCallingConv() != llvm::CallingConv::PTX_Kernel) continue;
    if (!function.hasFnAttribute("nvvm.reqntid"))
      function.addFnAttr("nvvm.reqntid", formatted("{}", threads));
    function.removeFnAttr("nvvm.maxntid");  // MLIR's known_block_size; ptxas takes one of the two
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

}  // namespace heddle::compiler
