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
  /// The bits of index arithmetic. Kernels of products need 32. nvgpu operations on memrefs need
  /// 64, since their conversion makes descriptors with 64-bit indices.
  unsigned index_bits = 32;
  std::string file_name = "kernel";  // in messages
  bool verifies = false;             // after each pass
};

/// The LLVM IR of the one gpu.module in `module`. A kernel is a gpu.func, or for NVIDIA an
/// llvm.func with the attribute nvvm.kernel. It may contain arith, cf, gpu, llvm, memref, scf,
/// vector and the dialects of the vendor. Null if that failed; `errors` then has MLIR's report,
/// which means a fault of this compiler. Changes the module: it can be used once.
std::unique_ptr<llvm::Module> lowered(mlir::ModuleOp module, const Lowering& how,
                                      llvm::LLVMContext& llvm_context, std::string& errors);

}  // namespace heddle::compiler
