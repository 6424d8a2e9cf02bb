// A finished kernel of any kind: an MLIR module that can be printed, or lowered to LLVM IR.
//
// This header hides MLIR from the files that include it. MLIR 22's headers do not compile as C++23
// with libstdc++ 12, so files that include MLIR are compiled as C++20 (see CMakeLists.txt), and
// other files must not include it. Code that builds kernels includes kernel_module_state.h.
#pragma once

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace heddle::compiler {

class KernelModule {
 public:
  struct State;
  explicit KernelModule(std::unique_ptr<State> state);
  ~KernelModule();
  KernelModule(const KernelModule&) = delete;
  KernelModule& operator=(const KernelModule&) = delete;

  /// Folds constants and merges repeated computations. False if MLIR finds the kernel wrong;
  /// `errors` then holds its diagnostics, which mean a fault of this compiler, not of the user.
  bool tidy(std::string& errors);

  /// MLIR text. After `lower`, that of the lowered module.
  std::string text() const;

  /// Lowers the module to LLVM's dialect and translates it to LLVM IR. Null on failure; `errors`
  /// then has MLIR's diagnostics, as for tidy(). May be called only once, because it changes the
  /// module.
  std::unique_ptr<llvm::Module> lower(llvm::LLVMContext& llvm_context, std::string& errors);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace heddle::compiler
