#include "tools/heddle/compile/compile_module.h"

#include <llvm/Support/ErrorHandling.h>

#include <new>

#include "tools/heddle/compile/compile_matmul.h"
#include "tools/heddle/compile/run_kernel.h"
#include "tools/heddle/compile/run_matmul.h"
#include "tools/heddle/compile/run_program.h"

namespace {

/// LLVM's allocations end the program as the others do (tools/heddle/memory_ceiling.h).
void end_for_lack_of_memory(void*, const char*, bool) {
  if (const std::new_handler handler = std::get_new_handler()) handler();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const heddle::tool::CompileModule*
heddle_compile_module() {
  static const bool installed =
      (llvm::install_bad_alloc_error_handler(end_for_lack_of_memory, nullptr), true);
  (void)installed;
  static constexpr heddle::tool::CompileModule module{
      HEDDLE_VERSION, heddle::tool::compile_matmul, heddle::tool::run_matmul,
      heddle::tool::run_kernel, heddle::tool::run_program};
  return &module;
}
