// Lowers kernels from MLIR to LLVM IR: a list of passes for each vendor, each with its reason in
// lowering.cpp.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include <memory>
#include <string>

#include "heddle/instruction/target.h"
#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace heddle::compiler {

/// Loads the dialects of kernels of products for `target`.
void load_kernel_dialects(mlir::MLIRContext& context, instruction::Target target);

struct Lowering {
  instruction::Target target{};
  /// The width of index arithmetic. Kernels of products use 32 bits. Kernels with nvgpu operations
  /// on memrefs need 64, because the conversion of memrefs makes descriptors with 64-bit indices.
  unsigned index_bits = 32;
  std::string file_name = "kernel";  // in messages
  bool verifies = false;             // after each pass
};

/// Lowers `module`, which has one gpu.module, to LLVM IR. A kernel in it is a gpu.func or, for
/// NVIDIA, an llvm.func with the attribute nvvm.kernel. Kernels may contain arith, cf, gpu, llvm,
/// memref, scf, vector and the dialects of the target's vendor. Null on failure; `errors` then has
/// MLIR's report, which means a fault of this compiler. The module cannot be used afterwards.
std::unique_ptr<llvm::Module> lowered(mlir::ModuleOp module, const Lowering& how,
                                      llvm::LLVMContext& llvm_context, std::string& errors);

}  // namespace heddle::compiler
