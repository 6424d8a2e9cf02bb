// `heddle run KERNEL LAUNCH`: runs a user's kernel as its launch file says, and judges the results.
#pragma once

#include "tools/heddle/modules/run_module.h"

namespace heddle::tool {

/// Prints the report, or the reason why there is none. Returns the exit status.
int run_kernel(const RunArguments& arguments);

}  // namespace heddle::tool
