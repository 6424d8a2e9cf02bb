#include "tools/heddle/modules/run_module.h"

#include "tools/heddle/host/llvm_memory.h"
#include "tools/heddle/run/run_kernel.h"
#include "tools/heddle/run/run_program.h"

extern "C" __attribute__((visibility("default"))) const heddle::tool::RunModule*
heddle_run_module() {
  heddle::tool::end_llvm_for_lack_of_memory();
  static constexpr heddle::tool::RunModule module{HEDDLE_VERSION, heddle::tool::run_kernel,
                                                  heddle::tool::run_program};
  return &module;
}
