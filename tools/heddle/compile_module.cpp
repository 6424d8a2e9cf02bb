#include "tools/heddle/compile_module.h"

#include "tools/heddle/compile_matmul.h"
#include "tools/heddle/run_kernel.h"
#include "tools/heddle/run_matmul.h"

extern "C" __attribute__((visibility("default"))) const heddle::tool::CompileModule*
heddle_compile_module() {
  static constexpr heddle::tool::CompileModule module{HEDDLE_VERSION, heddle::tool::compile_matmul,
                                                      heddle::tool::run_matmul,
                                                      heddle::tool::run_kernel};
  return &module;
}
