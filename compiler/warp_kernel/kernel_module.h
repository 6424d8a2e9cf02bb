// A warp-level function on its way to a kernel: text, thread level, LLVM IR.
//
// This header hides MLIR from its users (see compiler/kernel/kernel_module.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/warp_kernel/argument.h"
#include "heddle/instruction/target.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace heddle::compiler {

/// True if `text` can be parsed and has an operation of the vector dialect (source.cpp).
bool has_vector_operations(std::string_view text);

struct WarpKernelOptions {
  instruction::Target target = instruction::Target::sm_80;
  bool tf32 = false;  // contractions of f32 may run on tf32 matrix instructions

  /// Threads of a warp, and of the block of the kernel.
  int threads() const { return instruction::default_wave(target); }
};

class WarpKernelModule {
 public:
  /// Null when the text is refused; `errors` then has its lines.
  static std::unique_ptr<WarpKernelModule> read(std::string_view text, std::string_view file_name,
                                                const WarpKernelOptions& options,
                                                std::string& errors);
  ~WarpKernelModule();

  const std::string& name() const;
  const std::vector<WarpArgument>& arguments() const;

  /// Lowers warps to threads and matrix instructions, and makes a kernel. Returns false if the
  /// function cannot be lowered; `errors` has the reason and the place.
  bool lower_to_threads(std::string& errors);

  /// MLIR text of the present state.
  std::string text() const;

  /// The remarks of the passes, one line each: file:line:column: remark: …
  const std::string& remarks() const;

  /// Null when that failed, with `errors`: a fault of this compiler. After lower_to_threads, once.
  std::unique_ptr<llvm::Module> lower(llvm::LLVMContext& llvm_context, std::string& errors);

 private:
  struct State;
  explicit WarpKernelModule(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heddle::compiler
