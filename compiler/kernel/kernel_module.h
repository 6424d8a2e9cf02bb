// A kernel as an MLIR module that can be printed, or lowered to LLVM IR, whoever built it.
//
// This header hides MLIR from its users: MLIR 22's headers do not compile as C++23 with libstdc++
// 12, so what includes them is built as C++20 (see CMakeLists.txt), and everything else stays
// apart. What builds kernels includes kernel_module_state.h.
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

  /// Folds constants and merges what is computed twice. False when MLIR finds the kernel wrong;
  /// `errors` then holds its diagnostics, which mean a fault of this compiler, not of the user.
  bool tidy(std::string& errors);

  /// MLIR text. After `lower`, that of the lowered module.
  std::string text() const;

  /// Lowers the module and translates it. Null when that failed, with `errors` as above. Can be
  /// used once.
  std::unique_ptr<llvm::Module> lower(llvm::LLVMContext& llvm_context, std::string& errors);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace heddle::compiler
