#include "constant_witness.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

namespace heddle::emulator::testing {

struct ConstantWitness::State {
  llvm::Triple triple{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;

  std::optional<llvm::MCInst> decode(const MachineCode& code) {
    llvm::MCInst instruction;
    uint64_t size = 0;
    const llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t*>(code.words.data()),
                                        sizeof code.words);
    if (disassembler->getInstruction(instruction, size, bytes, 0, llvm::nulls()) !=
        llvm::MCDisassembler::Success)
      return std::nullopt;
    return instruction;
  }
};

// LLVM's targets are initialised: the variants ask the emulator's disassembler first.
ConstantWitness::ConstantWitness(const Target& target) : state_(std::make_unique<State>()) {
  State& s = *state_;
  std::string message;
  const llvm::Target* backend = llvm::TargetRegistry::lookupTarget(s.triple, message);
  s.registers.reset(backend->createMCRegInfo(s.triple));
  s.assembly.reset(backend->createMCAsmInfo(*s.registers, s.triple, s.options));
  s.subtarget.reset(backend->createMCSubtargetInfo(
      s.triple, llvm::StringRef(target.name.data(), target.name.size()),
      wave_of(target) == 64 ? "+wavefrontsize64" : "+wavefrontsize32"));
  s.context = std::make_unique<llvm::MCContext>(s.triple, s.assembly.get(), s.registers.get(),
                                                s.subtarget.get());
  s.disassembler.reset(backend->createMCDisassembler(*s.subtarget, *s.context));
}

ConstantWitness::~ConstantWitness() = default;

std::optional<uint64_t> ConstantWitness::constant(const MachineCode& with_register,
                                                  const MachineCode& with_constant) {
  const auto one = state_->decode(with_register), other = state_->decode(with_constant);
  if (!one || !other || one->getNumOperands() != other->getNumOperands()) return std::nullopt;
  for (unsigned i = 0; i < one->getNumOperands(); ++i)
    if (one->getOperand(i).isReg() && other->getOperand(i).isImm())
      return static_cast<uint64_t>(other->getOperand(i).getImm());
  return std::nullopt;
}

}  // namespace heddle::emulator::testing
