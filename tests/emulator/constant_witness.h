// What LLVM's disassembler makes of the small constants of an instruction.
#pragma once

#include <memory>
#include <optional>

#include "emulator/machine/target.h"
#include "modifier_variants.h"

namespace heddle::emulator::testing {

class ConstantWitness {
 public:
  explicit ConstantWitness(const Target& target);
  ~ConstantWitness();

  // The bits of the constant that stands in `with_constant` where `with_register` has a register:
  // the immediate of LLVM's MCInst, which is as wide as the operand. Nothing when LLVM takes no
  // constant there.
  std::optional<uint64_t> constant(const MachineCode& with_register,
                                   const MachineCode& with_constant);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::emulator::testing
