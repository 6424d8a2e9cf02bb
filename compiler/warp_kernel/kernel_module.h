// A warp-level function on its way to a kernel: text, then the code of one thread, then LLVM IR.
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

/// The test of is_warp_level() in compile.h, without protection against crashes of MLIR's parser
/// (source.cpp).
bool has_vector_operations(std::string_view text);

struct WarpKernelOptions {
  instruction::Target target = instruction::Target::sm_80;
  bool tf32 = false;  // contractions of f32 may run on tf32 matrix instructions

  /// The number of threads of a warp. The kernel runs in a thread block of this size.
  int threads() const { return instruction::default_wave(target); }
};

class WarpKernelModule {
 public:
  /// Reads the text. If the text is refused, returns null and sets `errors` to one line for each
  /// reason.
  static std::unique_ptr<WarpKernelModule> read(std::string_view text, std::string_view file_name,
                                                const WarpKernelOptions& options,
                                                std::string& errors);
  ~WarpKernelModule();

  const std::string& name() const;
  const std::vector<WarpArgument>& arguments() const;

  /// Lowers the operations on vectors of a warp to the code of one thread, with matrix
  /// instructions, and makes a kernel of it. If the function cannot be lowered, returns false and
  /// sets `errors` to the reason and its position.
  bool lower_to_threads(std::string& errors);

  /// MLIR text of the present state.
  std::string text() const;

  /// What the passes remarked, for example why ldmatrix is not used. One line each:
  /// file:line:column: remark: …
  const std::string& remarks() const;

  /// Lowers to LLVM IR. Call it once, after lower_to_threads. Null if it fails, which is a bug of
  /// this compiler; `errors` then has the reason.
  std::unique_ptr<llvm::Module> lower(llvm::LLVMContext& llvm_context, std::string& errors);

 private:
  struct State;
  explicit WarpKernelModule(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heddle::compiler
