// `heddle compile` in the module: the work behind the options.
#pragma once

#include "tools/heddle/modules/compile_module.h"

namespace heddle::tool {

/// Writes what the stage leaves; the exit status.
int compile_matmul(const CompileArguments& arguments);

}  // namespace heddle::tool
