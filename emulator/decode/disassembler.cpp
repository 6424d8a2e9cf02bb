#include "emulator/decode/disassembler.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <mutex>

// LLVM's own entry points; the header that declares them all would pull in every target.
extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace heddle::emulator {
namespace {

void initialize_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
}

// By the names of LLVM's registers, whose numbers are private.
uint8_t implicit_registers(const llvm::MCInstrDesc& description,
                           const llvm::MCRegisterInfo& registers) {
  uint8_t found = 0;
  const auto add = [&](llvm::ArrayRef<llvm::MCPhysReg> list, int scc, int vcc, int m0, int exec) {
    for (const llvm::MCPhysReg number : list) {
      const llvm::StringRef name = registers.getName(number);
      const int flag = name == "SCC"              ? scc
                       : name.starts_with("VCC")  ? vcc
                       : name == "M0"             ? m0
                       : name.starts_with("EXEC") ? exec
                                                  : 0;
      found |= static_cast<uint8_t>(flag);
    }
  };
  add(description.implicit_uses(), implicit_reads_scc, implicit_reads_vcc, implicit_reads_m0, 0);
  add(description.implicit_defs(), implicit_writes_scc, implicit_writes_vcc, 0,
      implicit_writes_exec);
  return found;
}

}  // namespace

struct Disassembler::State {
  llvm::Triple triple{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

Disassembler::Disassembler(std::unique_ptr<State> state) : state_(std::move(state)) {}
Disassembler::Disassembler(Disassembler&&) noexcept = default;
Disassembler::~Disassembler() = default;

std::expected<Disassembler, Error> Disassembler::create(const Target& target, int wave) {
  initialize_once();
  auto s = std::make_unique<State>();
  std::string message;
  const llvm::Target* backend = llvm::TargetRegistry::lookupTarget(s->triple, message);
  if (!backend) return std::unexpected(Error{"LLVM has no AMDGPU target: " + message});
  s->registers.reset(backend->createMCRegInfo(s->triple));
  s->assembly.reset(backend->createMCAsmInfo(*s->registers, s->triple, s->options));
  s->instructions.reset(backend->createMCInstrInfo());
  s->subtarget.reset(backend->createMCSubtargetInfo(
      s->triple, llvm::StringRef(target.name.data(), target.name.size()),
      wave == 64 ? "+wavefrontsize64" : "+wavefrontsize32"));
  s->context = std::make_unique<llvm::MCContext>(s->triple, s->assembly.get(), s->registers.get(),
                                                 s->subtarget.get());
  s->disassembler.reset(backend->createMCDisassembler(*s->subtarget, *s->context));
  s->printer.reset(
      backend->createMCInstPrinter(s->triple, 0, *s->assembly, *s->instructions, *s->registers));
  if (!s->disassembler || !s->printer)
    return std::unexpected(Error{"LLVM cannot disassemble " + std::string(target.name)});
  return Disassembler(std::move(s));
}

uint32_t Disassembler::decode(std::span<const std::byte> bytes, uint64_t address, std::string& text,
                              uint8_t& implicit) {
  text.clear();
  implicit = 0;
  llvm::MCInst instruction;
  uint64_t size = 0;
  const llvm::ArrayRef<uint8_t> view(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  const auto status =
      state_->disassembler->getInstruction(instruction, size, view, address, llvm::nulls());
  if (status == llvm::MCDisassembler::Fail || size == 0 || size > bytes.size()) return 0;
  implicit =
      implicit_registers(state_->instructions->get(instruction.getOpcode()), *state_->registers);
  llvm::raw_string_ostream stream(text);
  state_->printer->printInst(&instruction, address, "", *state_->subtarget, stream);
  const std::size_t first = text.find_first_not_of(" \t");
  text.erase(0, first == std::string::npos ? text.size() : first);
  return static_cast<uint32_t>(size);
}

}  // namespace heddle::emulator
