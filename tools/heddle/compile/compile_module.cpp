#include "tools/heddle/modules/compile_module.h"

#include "compiler/codegen/link.h"
#include "tools/heddle/compile/compile_matmul.h"
#include "tools/heddle/compile/run_matmul.h"
#include "tools/heddle/host/llvm_memory.h"

extern "C" __attribute__((visibility("default"))) const heddle::tool::CompileModule*
heddle_compile_module() {
  heddle::tool::end_llvm_for_lack_of_memory();
  static constexpr heddle::tool::CompileModule module{HEDDLE_VERSION, heddle::tool::compile_matmul,
                                                      heddle::tool::run_matmul,
                                                      heddle::compiler::link_shared_object};
  return &module;
}
