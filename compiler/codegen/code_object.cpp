#include "compiler/codegen/code_object.h"

#include <array>
#include <map>
#include <mutex>

#include "compiler/codegen/link.h"
#include "compiler/codegen/ptx.h"
#include "compiler/codegen/wait_states.h"
#include "compiler/plan/block_tile.h"
#include "library/text/formatted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Pass.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::compiler {
namespace {

constexpr const char* amdgpu_triple = "amdgcn-amd-amdhsa";

// Collects what LLVM reports about a module, as long as this object lives.
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

// Inputs that a kernel could ask of the runtime: hidden arguments, queue and dispatch pointers and
// so on. Our kernels use only their own arguments and ids. With these attributes the runtime does
// not prepare the other inputs, and the metadata does not list them.
constexpr std::array unused_inputs{
    "amdgpu-no-completion-action", "amdgpu-no-default-queue", "amdgpu-no-dispatch-id",
    "amdgpu-no-dispatch-ptr",      "amdgpu-no-heap-ptr",      "amdgpu-no-hostcall-ptr",
    "amdgpu-no-implicitarg-ptr",   "amdgpu-no-lds-kernel-id", "amdgpu-no-multigrid-sync-arg",
    "amdgpu-no-queue-ptr",         "amdgpu-no-workitem-id-y", "amdgpu-no-workitem-id-z",
    "amdgpu-no-flat-scratch-init"};

// Those passes of LLVM's -O3 that our kernels need, in LLVM's order. Passes that inline, vectorise
// or move code between functions would find nothing to do: a kernel is one function without calls,
// MLIR has folded and merged its operations already, and its loops have their final form. `./dev
// bench code` shows what a change of this list costs.
constexpr std::array passes{
    // Removes allocas, which only warp-level functions can have.
    "sroa",
    // Removes what the conversion from MLIR repeats: addresses, extracted elements.
    "early-cse<memssa>",
    "instcombine<no-verify-fixpoint>",
    // Turns loops into do-while loops, then unrolls those of few steps, as wgmma's producer warps
    // have.
    "loop(loop-rotate)",
    "simplifycfg",
    "loop(indvars,loop-unroll-full)",
    // A ring of stages: after as many steps as it has stages, the position in it is again the same
    // constant, which this pass finds.
    "sccp",
    "vector-combine",
    "loop-unroll<O3>",
    "sccp",
    // Removes repetitions that unrolling left.
    "early-cse",
    "reassociate",
    "instcombine<no-verify-fixpoint>",
};
// These passes come here because NVPTX has no later pass that rotates loops or hoists invariants.
constexpr const char* last_of_nvptx = "loop-mssa(loop-rotate,licm)";
// With known alignment, adjacent loads of one thread are merged into one access later.
constexpr const char* last_of_all = "simplifycfg,infer-alignment";

std::string pipeline(bool nvptx) {
  std::string text = "function(";
  for (const char* pass : passes) text += pass + std::string(",");
  if (nvptx) text += last_of_nvptx + std::string(",");
  return text + last_of_all + ")";
}

// Passes that code generation leaves out, by the names that LLVM prints. They would only repeat, on
// IR, what the passes above have done, or they make kernels of matrix instructions worse.
constexpr std::array<llvm::StringRef, 3> repeated{"Straight line strength reduction",
                                                  "Global Value Numbering", "Nary reassociation"};
constexpr std::array<llvm::StringRef, 5> repeated_for_amdgpu{
    "Loop Invariant Code Motion",  // MachineLICM comes after it
    "Code sinking",
    // This pass moves a v_wmma of gfx11 behind a branch that only some lanes take, as when only a
    // masked write uses the product: LLVM 22 marks the intrinsic as convergent, but not the machine
    // instruction. WMMA needs all lanes (RDNA3 ISA, 7.9).
    "Machine code sinking",
    // This pass makes offsets of buffer loads begin below zero in a VGPR, and adds the rest as a
    // constant in the instruction. Such an offset is out of range: the VGPR may not be negative,
    // even if the sum is not (LLVM, SITargetLowering::splitBufferOffsets).
    "Loop Strength Reduction",
    // Splits accumulators, which are vectors, in every phi.
    "AMDGPU IR optimizations"};

// This pass joins instructions to dual-issue pairs. It is left out for gfx1250, where a WMMA needs
// v_nop before certain next instructions: LLVM 22 counts them before this pass runs, and counts
// none for a pair (GCNHazardRecognizer, fixWMMACoexecutionHazards).
constexpr llvm::StringRef dual_issue = "GCN Create VOPD Instructions";

// Code generation without the passes that are listed above, and with our own pass (wait_states.h)
// behind LLVM's pass for hazards.
class CodeGeneration : public llvm::legacy::PassManager {
 public:
  explicit CodeGeneration(const llvm::TargetMachine& machine)
      : amdgpu_(machine.getTargetTriple().isAMDGCN()),
        pairs_are_wrong_(amdgpu_ && instruction::find_processor(machine.getTargetCPU().str())
                                        ->has(instruction::Feature::gfx1250_code)) {}
  void add(llvm::Pass* pass) override {
    const llvm::StringRef name = pass->getPassName();
    if (!llvm::is_contained(repeated, name) &&
        !(amdgpu_ && llvm::is_contained(repeated_for_amdgpu, name)) &&
        !(pairs_are_wrong_ && name == dual_issue)) {
      const bool is_last_of_hazards = name == "Post RA hazard recognizer";
      llvm::legacy::PassManager::add(pass);
      if (is_last_of_hazards) llvm::legacy::PassManager::add(missed_wait_states());
      return;
    }
    delete pass;
  }

 private:
  bool amdgpu_, pairs_are_wrong_;
};

void prepare_amdgpu(llvm::Module& module, instruction::Target target, int threads) {
  // Code object version 5: what every HIP since 5.5 and this project's emulator load.
  module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", 500);
  for (llvm::Function& function : module) {
    if (function.getCallingConv() != llvm::CallingConv::AMDGPU_KERNEL) continue;
    for (const char* input : unused_inputs) function.addFnAttr(input);
    // Only kernels of batches, or with a split k, read the workgroup's number along z.
    if (module.getFunction("llvm.amdgcn.workgroup.id.z") == nullptr)
      function.addFnAttr("amdgpu-no-workgroup-id-z");
    function.addFnAttr("amdgpu-implicitarg-num-bytes", "0");
    function.addFnAttr("amdgpu-flat-work-group-size", formatted("{},{}", threads, threads));
    function.addFnAttr("uniform-work-group-size", "true");
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (const int most = plan::compiled_vgprs(target); most < instruction::row(target).max_vgprs)
      function.addFnAttr("amdgpu-num-vgpr", formatted("{}", most));
  }
}

void prepare(llvm::Module& module, llvm::TargetMachine& machine, int threads) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  if (machine.getTargetTriple().isNVPTX()) {
    prepare_nvptx(module, threads);
  } else {
    prepare_amdgpu(module, instruction::find_processor(machine.getTargetCPU().str())->target,
                   threads);
  }
}

std::expected<llvm::SmallString<0>, std::string> generate(llvm::Module& module,
                                                          llvm::TargetMachine& machine,
                                                          llvm::CodeGenFileType type) {
  const BackendMessages messages(module.getContext());
  llvm::SmallString<0> output;
  llvm::raw_svector_ostream stream(output);
  CodeGeneration generation(machine);
  if (machine.addPassesToEmitFile(generation, stream, nullptr, type))
    return std::unexpected("LLVM's backend for " + machine.getTargetTriple().str() +
                           " cannot write this kind of file");
  generation.run(module);
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
  const llvm::Triple amdgpu(amdgpu_triple);
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(amdgpu, error);
  if (found == nullptr) return std::unexpected("LLVM has no AMDGPU backend: " + error);
  // -real-true16: without true16, one v_perm_b32 gathers two 16-bit elements of a transposition;
  // with true16, LLVM 22 moves each half by itself.
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      amdgpu, instruction::name(target), "-real-true16", llvm::TargetOptions(), llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Default));
  if (machine == nullptr) return std::unexpected("LLVM cannot describe the target");
  return machine;
}

// Machine descriptions that are kept from one compilation to the next, because a new one needs
// milliseconds to compute its register tables. They are never freed: at the end of the program
// LLVM's tables may be destroyed before this object.
class IdleMachines {
 public:
  llvm::TargetMachine* take(instruction::Target target) {
    const std::scoped_lock lock(mutex_);
    const auto found = machines_.find(target);
    if (found == machines_.end()) return nullptr;
    llvm::TargetMachine* const machine = found->second;
    machines_.erase(found);
    return machine;
  }
  void give(instruction::Target target, llvm::TargetMachine* machine) {
    const std::scoped_lock lock(mutex_);
    if (!machines_.emplace(target, machine).second) delete machine;
  }

 private:
  std::mutex mutex_;
  std::map<instruction::Target, llvm::TargetMachine*> machines_;
};

IdleMachines& idle_machines() {
  static auto& machines = *new IdleMachines;
  return machines;
}

}  // namespace

std::expected<Machine, std::string> target_machine(instruction::Target target) {
  if (llvm::TargetMachine* known = idle_machines().take(target)) return Machine(known, {target});
  auto made = instruction::is_nvidia(instruction::processor(target).family)
                  ? nvptx_machine(target)
                  : amdgpu_machine(target);
  if (!made) return std::unexpected(std::move(made).error());
  return Machine(made->release(), {target});
}

void KeepMachine::operator()(llvm::TargetMachine* machine) const {
  idle_machines().give(target, machine);
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
  llvm::ModulePassManager manager;
  if (llvm::Error error =
          builder.parsePassPipeline(manager, pipeline(machine.getTargetTriple().isNVPTX())))
    return std::unexpected(llvm::toString(std::move(error)));
  manager.run(module, modules);
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
