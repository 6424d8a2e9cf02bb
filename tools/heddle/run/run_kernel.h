// `heddle run KERNEL LAUNCH`: a kernel of the user's, its launch file, a verdict.
#pragma once

#include "tools/heddle/modules/run_module.h"

namespace heddle::tool {

/// Prints the report, or the reason why there is none. Returns the exit status.
int run_kernel(const RunArguments& arguments);

}  // namespace heddle::tool
