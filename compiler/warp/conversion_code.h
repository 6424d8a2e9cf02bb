// heddle.convert_layout as moves between the registers of a thread and shuffles between lanes.
#pragma once

#include "compiler/warp/conversion_plan.h"
#include "compiler/warp/thread_code.h"

namespace heddle::compiler {

/// The thread's registers in the destination's layout.
mlir::Value converted(ThreadCode& code, mlir::Value registers, const ConversionPlan& plan);

}  // namespace heddle::compiler
