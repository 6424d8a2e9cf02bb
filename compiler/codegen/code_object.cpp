#include "compiler/codegen/code_object.h"

#include <array>

#include "compiler/codegen/link.h"
#include "compiler/codegen/ptx.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::compiler {
namespace {

constexpr const char* triple = "amdgcn-amd-amdhsa";

// Collects what LLVM reports about a module while it lives.
class BackendMessages {
 public:
  explicit BackendMessages(llvm::LLVMContext& context) : context_(context) {
    context.setDiagnosticHandlerCallBack(&BackendMessages::take, this);
  }
  ~BackendMessages() { context_.setDiagnosticHandlerCallBack(nullptr, nullptr); }
  BackendMessages(const BackendMessages&) = delete;
  BackendMessages& operator=(const BackendMessages&) = delete;

  const std::string& errors() const { return errors_; }

 private:
  static void take(const llvm::DiagnosticInfo* info, void* self) {
    if (info->getSeverity() != llvm::DS_Error) return;
    llvm::raw_string_ostream stream(static_cast<BackendMessages*>(self)->errors_);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
    stream << '\n';
  }

  llvm::LLVMContext& context_;
  std::string errors_;
};

// The kernel asks for nothing but its own arguments and ids, so the runtime need not prepare the
// rest (hidden arguments, queue and dispatch pointers), and metadata does not list them.
constexpr std::array unused_inputs{
    "amdgpu-no-completion-action", "amdgpu-no-default-queue", "amdgpu-no-dispatch-id",
    "amdgpu-no-dispatch-ptr",      "amdgpu-no-heap-ptr",      "amdgpu-no-hostcall-ptr",
    "amdgpu-no-implicitarg-ptr",   "amdgpu-no-lds-kernel-id", "amdgpu-no-multigrid-sync-arg",
    "amdgpu-no-queue-ptr",         "amdgpu-no-workitem-id-y", "amdgpu-no-workitem-id-z",
    "amdgpu-no-flat-scratch-init"};

void prepare_amdgpu(llvm::Module& module, int threads) {
  // Code object version 5: what every HIP since 5.5 and this project's emulator load.
  module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", 500);
  for (llvm::Function& function : module) {
    if (function.getCallingConv() != llvm::CallingConv::AMDGPU_KERNEL) continue;
    for (const char* input : unused_inputs) function.addFnAttr(input);
    // Only batches ask which of them a workgroup has.
    if (module.getFunction("llvm.amdgcn.workgroup.id.z") == nullptr)
      function.addFnAttr("amdgpu-no-workgroup-id-z");
    function.addFnAttr("amdgpu-implicitarg-num-bytes", "0");
    function.addFnAttr("amdgpu-flat-work-group-size",
                       std::to_string(threads) + "," + std::to_string(threads));
    function.addFnAttr("uniform-work-group-size", "true");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

void prepare(llvm::Module& module, llvm::TargetMachine& machine, int threads) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  if (machine.getTargetTriple().isNVPTX()) {
    prepare_nvptx(module, threads);
  } else {
    prepare_amdgpu(module, threads);
  }
}

std::expected<llvm::SmallString<0>, std::string> generate(llvm::Module& module,
                                                          llvm::TargetMachine& machine,
                                                          llvm::CodeGenFileType type) {
  const BackendMessages messages(module.getContext());
  llvm::SmallString<0> output;
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return std::unexpected("LLVM's backend for " + machine.getTargetTriple().str() +
                           " cannot write this kind of file");
  passes.run(module);
  if (!messages.errors().empty()) return std::unexpected(messages.errors());
  return output;
}

std::expected<std::unique_ptr<llvm::TargetMachine>, std::string> amdgpu_machine(
    instruction::Target target) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmPrinter();
  std::string error;
  const llvm::Triple amdgpu(triple);
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(amdgpu, error);
  if (found == nullptr) return std::unexpected("LLVM has no AMDGPU backend: " + error);
  // Without true16, transposing pairs of 16-bit elements is one v_perm_b32 for two of them; with
  // it, LLVM 22 moves each half by itself.
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      amdgpu, instruction::name(target), "-real-true16", llvm::TargetOptions(), llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (machine == nullptr) return std::unexpected("LLVM cannot describe the target");
  return machine;
}

}  // namespace

std::expected<std::unique_ptr<llvm::TargetMachine>, std::string> target_machine(
    instruction::Target target) {
  return instruction::is_nvidia(instruction::processor(target).family) ? nvptx_machine(target)
                                                                       : amdgpu_machine(target);
}

std::expected<void, std::string> optimise(llvm::Module& module, llvm::TargetMachine& machine,
                                          int threads) {
  const BackendMessages messages(module.getContext());
  prepare(module, machine, threads);
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if (llvm::verifyModule(module, &stream))
    return std::unexpected("the kernel's LLVM IR is not valid: " + broken);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager call_graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(call_graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, call_graph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
  if (!messages.errors().empty()) return std::unexpected(messages.errors());
  return {};
}

std::string printed(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

std::expected<std::string, std::string> assembly(llvm::Module& module,
                                                 llvm::TargetMachine& machine) {
  auto text = generate(module, machine, llvm::CodeGenFileType::AssemblyFile);
  if (!text) return std::unexpected(std::move(text).error());
  return std::string(text->str());
}

std::expected<std::vector<std::uint8_t>, std::string> code_object(llvm::Module& module,
                                                                  llvm::TargetMachine& machine) {
  auto object = generate(module, machine, llvm::CodeGenFileType::ObjectFile);
  if (!object) return std::unexpected(std::move(object).error());
  return link_shared_object(object->str());
}

}  // namespace heddle::compiler
