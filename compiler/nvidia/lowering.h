// Kernels for NVIDIA, from MLIR to the LLVM dialect: the list of passes, each with its reason in
// lowering.cpp.
//
// Includes MLIR: C++20.
#pragma once

#include <memory>
#include <string>

#include "compiler/kernel/kernel_module_state.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace heddle::compiler {

/// Lowers the kernels of a gpu.module to the LLVM and NVVM dialects. A kernel is a gpu.func, or an
/// llvm.func with the attribute nvvm.kernel; in it may be arith, cf, gpu, llvm, memref, nvgpu,
/// nvvm, scf and vector. Needs register_nvvm_interfaces. Index arithmetic has `index_bits`; what
/// uses memrefs with nvgpu operations needs 64, which those convert them for.
void add_nvvm_lowering_passes(mlir::OpPassManager& gpu_module_passes, unsigned index_bits = 32);

/// Tells `context` how dialects convert to the LLVM dialect and how that becomes LLVM IR.
void register_nvvm_interfaces(mlir::MLIRContext& context);

/// A kernel without its module, in a context with the dialects that kernels of products are made
/// of.
std::unique_ptr<KernelModule::State> nvidia_state();

/// The LLVM IR of the gpu.module `kernels`, lowered by the passes above, or null with what MLIR
/// reports in `errors`, which means a fault of this compiler.
std::unique_ptr<llvm::Module> translate_kernels(mlir::Operation& kernels,
                                                llvm::LLVMContext& llvm_context,
                                                std::string& errors);

}  // namespace heddle::compiler
