// `heddle run` for products: the part inside libheddle_compile.so, after options have been read.
#pragma once

#include "tools/heddle/modules/compile_module.h"

namespace heddle::tool {

/// Compiles, executes, judges and prints. Returns the exit status.
int run_matmul(const RunArguments& arguments);

}  // namespace heddle::tool
