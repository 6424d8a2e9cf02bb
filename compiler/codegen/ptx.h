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

/// A machine description for `target`, a processor of NVIDIA. Error: the reason why LLVM cannot
/// make one.
std::expected<std::unique_ptr<llvm::TargetMachine>, std::string> nvptx_machine(
    instruction::Target target);

/// Prepares the kernels of `module` (functions of calling convention ptx_kernel): sets the number
/// of threads of a thread block (`.reqntid threads`), unless a kernel has it already, and marks
/// inline PTX so that LLVM moves it only to places that whole warps reach.
void prepare_nvptx(llvm::Module& module, int threads);

}  // namespace heddle::compiler
