#include "tests/instruction/llvm_witness.h"

#include <memory>

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::test {
namespace {

using instruction::Target;

const llvm::Triple triple("amdgcn-amd-amdhsa");

const llvm::Target& amdgpu() {
  static const llvm::Target* target = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUDisassembler();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(triple, error);
  }();
  return *target;
}

const llvm::Triple nvidia_triple("nvptx64-nvidia-cuda");
const std::string newest_ptx = "+ptx90";

const llvm::Target& nvptx() {
  static const llvm::Target* target = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(nvidia_triple, error);
  }();
  return *target;
}

std::vector<std::string> names_of(const llvm::Target& target, const llvm::Triple& of) {
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target.createMCSubtargetInfo(of, "", ""));
  std::vector<std::string> names;
  for (const llvm::SubtargetSubTypeKV& processor : subtarget->getAllProcessorDescriptions())
    names.emplace_back(processor.Key);
  return names;
}

// The name for LLVM. From sm_90 on, the instructions that one processor alone has need an "a"
// behind its name.
std::string nvidia_processor(Target target) {
  const std::string name(instruction::name(target));
  return target >= Target::sm_90 && !name.ends_with('a') ? name + "a" : name;
}

std::string features(int wave) {
  return wave == 64 ? "+wavefrontsize64,-wavefrontsize32" : "+wavefrontsize32";
}

// The tables of the machine-code layer for one processor and wave size.
struct Machine {
  Machine(Target target, int wave) : Machine(std::string(instruction::name(target)), wave) {}

  Machine(const std::string& processor, int wave)
      : registers(amdgpu().createMCRegInfo(triple)),
        assembly(amdgpu().createMCAsmInfo(*registers, triple, options)),
        instructions(amdgpu().createMCInstrInfo()),
        subtarget(amdgpu().createMCSubtargetInfo(triple, processor, features(wave))),
        context(triple, assembly.get(), registers.get(), subtarget.get(), &sources, &options),
        object(amdgpu().createMCObjectFileInfo(context, /*PIC=*/true)) {
    context.setObjectFileInfo(object.get());
  }

  llvm::MCTargetOptions options;
  llvm::SourceMgr sources;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  llvm::MCContext context;
  std::unique_ptr<llvm::MCObjectFileInfo> object;
};

// Encodes what the parser hands over, and nothing else.
class EncodingStreamer : public llvm::MCStreamer {
 public:
  EncodingStreamer(llvm::MCContext& context, const llvm::MCCodeEmitter& emitter)
      : MCStreamer(context), emitter_(emitter) {}

  void emitInstruction(const llvm::MCInst& instruction,
                       const llvm::MCSubtargetInfo& subtarget) override {
    llvm::SmallVector<llvm::MCFixup, 2> fixups;
    llvm::SmallString<16> bytes;
    emitter_.encodeInstruction(instruction, bytes, fixups, subtarget);
    encoded.insert(encoded.end(), bytes.begin(), bytes.end());
  }
  bool emitSymbolAttribute(llvm::MCSymbol*, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol*, std::uint64_t, llvm::Align) override {}

  std::vector<std::uint8_t> encoded;

 private:
  const llvm::MCCodeEmitter& emitter_;
};

void keep_first_message(const llvm::SMDiagnostic& diagnostic, void* kept) {
  auto& error = *static_cast<std::string*>(kept);
  if (error.empty()) error = diagnostic.getMessage().str();
}

Answer<std::vector<std::uint8_t>> assemble_with(Machine& machine, const std::string& text) {
  Answer<std::vector<std::uint8_t>> answer;
  machine.sources.setDiagHandler(keep_first_message, &answer.error);
  machine.sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text + "\n"), {});
  const std::unique_ptr<llvm::MCCodeEmitter> emitter(
      amdgpu().createMCCodeEmitter(*machine.instructions, machine.context));
  EncodingStreamer streamer(machine.context, *emitter);
  amdgpu().createNullTargetStreamer(streamer);
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(machine.sources, machine.context, streamer, *machine.assembly));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(amdgpu().createMCAsmParser(
      *machine.subtarget, *parser, *machine.instructions, machine.options));
  parser->setTargetParser(*target_parser);
  const bool failed = parser->Run(/*NoInitialTextSection=*/false);
  answer.value = streamer.encoded;
  if (failed && answer.error.empty()) answer.error = "refused without a message";
  return answer;
}

}  // namespace

Answer<std::vector<std::uint8_t>> assemble(Target target, int wave, const std::string& text) {
  Machine machine(target, wave);
  return assemble_with(machine, text);
}

std::string assembly_error(const std::string& processor, int wave, const std::string& text) {
  Machine machine(processor, wave);
  return assemble_with(machine, text).error;
}

Answer<std::string> disassemble(Target target, int wave, const std::vector<std::uint8_t>& bytes) {
  Machine machine(target, wave);
  const std::unique_ptr<llvm::MCDisassembler> disassembler(
      amdgpu().createMCDisassembler(*machine.subtarget, machine.context));
  const std::unique_ptr<llvm::MCInstPrinter> printer(amdgpu().createMCInstPrinter(
      triple, 0, *machine.assembly, *machine.instructions, *machine.registers));
  llvm::MCInst instruction;
  std::uint64_t size = 0;
  const auto status = disassembler->getInstruction(instruction, size, bytes, 0, llvm::nulls());
  if (status != llvm::MCDisassembler::Success) return {{}, "not an instruction"};
  if (size != bytes.size()) return {{}, "decodes to fewer bytes than were given"};
  std::string text;
  llvm::raw_string_ostream stream(text);
  printer->printInst(&instruction, 0, "", *machine.subtarget, stream);
  return {llvm::StringRef(text).trim().str(), {}};
}

Answer<std::string> compile_ir(Target target, int wave, const std::string& ir) {
  const bool nvidia = instruction::is_nvidia(instruction::processor(target).family);
  const llvm::Triple module_triple = nvidia ? nvidia_triple : triple;
  const llvm::Target& backend = nvidia ? nvptx() : amdgpu();
  const std::string processor =
      nvidia ? nvidia_processor(target) : std::string(instruction::name(target));
  Answer<std::string> answer;
  llvm::LLVMContext context;
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo* info, void* kept) {
        if (info->getSeverity() != llvm::DS_Error) return;
        llvm::raw_string_ostream stream(*static_cast<std::string*>(kept));
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info->print(printer);
      },
      &answer.error);
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module =
      llvm::parseIR(llvm::MemoryBufferRef(ir, "test.ll"), problem, context);
  if (module == nullptr) return {{}, problem.getMessage().str() + " in\n" + ir};
  llvm::raw_string_ostream broken(answer.error);
  if (llvm::verifyModule(*module, &broken)) return answer;
  llvm::TargetOptions options;
  options.MCOptions.AsmVerbose = true;  // with the comments that tell of registers and occupancy
  const std::unique_ptr<llvm::TargetMachine> machine(backend.createTargetMachine(
      module_triple, processor, nvidia ? newest_ptx : features(wave), options, llvm::Reloc::PIC_));
  module->setTargetTriple(module_triple);
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
    return {{}, "LLVM cannot emit assembly"};
  }
  passes.run(*module);
  answer.value = text.str().str();
  return answer;
}

std::vector<std::string> intrinsics(const std::string& prefix) {
  std::vector<std::string> names;
  for (unsigned id = 1; id < llvm::Intrinsic::num_intrinsics; ++id) {
    const llvm::StringRef name = llvm::Intrinsic::getBaseName(id);
    if (name.starts_with(prefix)) names.push_back(name.str());
  }
  return names;
}

std::vector<std::string> processors_of_amd() { return names_of(amdgpu(), triple); }
std::vector<std::string> processors_of_nvidia() { return names_of(nvptx(), nvidia_triple); }

bool has_feature(Target target, std::string_view feature) {
  return Machine(target, 32).subtarget->checkFeatures("+" + std::string(feature));
}

}  // namespace heddle::test
