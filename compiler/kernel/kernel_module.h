// A kernel as an MLIR module that can be printed, or lowered to LLVM IR, whoever built it.
//
// This header hides MLIR from its users. MLIR 22's headers do not compile as C++23 with libstdc++
// 12, so files that include them are built as C++20 (see CMakeLists.txt), and all others stay
// apart. Code that builds kernels includes kernel_module_state.h.
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

  /// Lowers the module and translates it. Null if that failed, with `errors` as above. Can be used
  /// once.
  std::unique_ptr<llvm::Module> lower(llvm::LLVMContext& llvm_context, std::string& errors);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace heddle::compiler
