// `heddle compile` for products: the part inside libheddle_compile.so, after options have been
// read.
#pragma once

#include "tools/heddle/modules/compile_module.h"

namespace heddle::tool {

/// Writes the result of the requested stage. Returns the exit status.
int compile_matmul(const CompileArguments& arguments);

}  // namespace heddle::tool
