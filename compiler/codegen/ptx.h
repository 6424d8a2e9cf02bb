// The NVIDIA half of code generation: LLVM IR to PTX text, in this process and without a CUDA
// toolkit. The driver, or ptxas, compiles PTX to machine code.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "heddle/instruction/target.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace heddle::compiler {

/// A machine description for a processor of NVIDIA, or why there is none.
std::expected<std::unique_ptr<llvm::TargetMachine>, std::string> nvptx_machine(
    instruction::Target target);

/// Gives the kernels of `module` (functions of calling convention ptx_kernel) their block size,
/// `.reqntid threads`, unless they have one, and keeps inline PTX at places that whole warps reach.
void prepare_nvptx(llvm::Module& module, int threads);

}  // namespace heddle::compiler
