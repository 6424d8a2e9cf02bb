// Turns LLVM IR into machine code: optimises, generates code and, for AMD, links, all in this
// process. ptx.h has the parts that only NVIDIA needs.
//
// Kept apart from MLIR so that LLVM's own failures are handled in one place: the backend's messages
// come back as text.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "heddle/instruction/target.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace heddle::compiler {

/// Keeps a machine for the next compilation for the same target.
struct KeepMachine {
  instruction::Target target;
  void operator()(llvm::TargetMachine* machine) const;
};

/// A machine description that one compilation uses at a time. After a crash of LLVM it is dropped,
/// not kept for the next one.
using Machine = std::unique_ptr<llvm::TargetMachine, KeepMachine>;

/// A machine description for `target`, of AMD or NVIDIA, or why there is none.
std::expected<Machine, std::string> target_machine(instruction::Target target);

/// Prepares `module` for the target (triple, data layout, attributes of its kernels, which run in
/// workgroups of `threads`) and runs the passes of LLVM's -O3 that such kernels need.
std::expected<void, std::string> optimise(llvm::Module& module, llvm::TargetMachine& machine,
                                          int threads);

/// The IR of `module` as text.
std::string printed(const llvm::Module& module);

/// The assembly of `module`; for NVIDIA, PTX. Code generation changes the module, so it can be used
/// only once.
std::expected<std::string, std::string> assembly(llvm::Module& module,
                                                 llvm::TargetMachine& machine);

/// The linked code object of `module` for AMD: an ELF shared object with kernel descriptors and
/// metadata. Like `assembly`, it uses the module up.
std::expected<std::vector<std::uint8_t>, std::string> code_object(llvm::Module& module,
                                                                  llvm::TargetMachine& machine);

}  // namespace heddle::compiler
