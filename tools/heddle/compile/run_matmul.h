// `heddle run` in the module: the work behind the options.
#pragma once

#include "tools/heddle/modules/compile_module.h"

namespace heddle::tool {

/// Compiles, executes, judges and prints. Returns the exit status.
int run_matmul(const RunArguments& arguments);

}  // namespace heddle::tool
