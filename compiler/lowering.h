// The kernel as an MLIR module that can be printed, or lowered to LLVM IR. The list of passes is in
// lowering.cpp, each with its reason.
//
// This header hides MLIR from its users: MLIR 22's headers do not compile as C++23 with libstdc++
// 12, so what includes them is built as C++20 (see CMakeLists.txt), and everything else stays
// apart.
#pragma once

#include <memory>
#include <string>

#include "compiler/matmul_request.h"
#include "heddle/plan/matmul_plan.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace heddle::compiler {

/// The kernel of one plan.
class KernelModule {
 public:
  KernelModule(const MatmulRequest& request, const plan::MatmulPlan& plan);
  ~KernelModule();
  KernelModule(const KernelModule&) = delete;
  KernelModule& operator=(const KernelModule&) = delete;

  /// MLIR text. After `lower`, that of the lowered module.
  std::string text() const;

  /// Lowers the module and translates it. Null when that failed; `errors` then holds MLIR's
  /// diagnostics, which mean a fault of this compiler, not of the user. Can be used once.
  std::unique_ptr<llvm::Module> lower(llvm::LLVMContext& llvm_context, std::string& errors);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::compiler
