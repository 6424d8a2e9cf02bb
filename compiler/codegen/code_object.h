// Turns LLVM IR into machine code: optimises it, generates code and, for AMD, links, all in this
// process. ptx.h has what only NVIDIA needs.
//
// This file includes no MLIR, so that all failures of LLVM are handled in one place: the messages
// of LLVM's backends come back as text.
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

/// The deleter of Machine. It does not free the machine description, but keeps it for the next
/// compilation for the same target.
struct KeepMachine {
  instruction::Target target;
  void operator()(llvm::TargetMachine* machine) const;
};

/// A machine description, which only one compilation uses at a time. If LLVM crashes, the
/// description is dropped instead of kept for the next compilation.
using Machine = std::unique_ptr<llvm::TargetMachine, KeepMachine>;

/// A machine description for `target`, a processor of AMD or NVIDIA. Error: the reason why LLVM
/// cannot make one.
std::expected<Machine, std::string> target_machine(instruction::Target target);

/// Prepares `module` for the target: sets the triple, the data layout, and the attributes of its
/// kernels, whose workgroups have `threads` threads. Then runs the passes of LLVM's -O3 that such
/// kernels need.
std::expected<void, std::string> optimise(llvm::Module& module, llvm::TargetMachine& machine,
                                          int threads);

/// The IR of `module` as text.
std::string printed(const llvm::Module& module);

/// The assembly text of `module`; for NVIDIA this is PTX. Code generation changes the module, so
/// the module cannot be used afterwards.
std::expected<std::string, std::string> assembly(llvm::Module& module,
                                                 llvm::TargetMachine& machine);

/// The linked code object of `module`, for AMD: an ELF shared object with kernel descriptors and
/// metadata. As with `assembly`, the module cannot be used afterwards.
std::expected<std::vector<std::uint8_t>, std::string> code_object(llvm::Module& module,
                                                                  llvm::TargetMachine& machine);

}  // namespace heddle::compiler
