// Emits the code of heddle.convert_layout: moves between the registers of a thread, and shuffles
// between lanes.
#pragma once

#include "compiler/warp/conversion_plan.h"
#include "compiler/warp/thread_code.h"

namespace heddle::compiler {

/// The thread's registers in the destination's layout.
mlir::Value converted(ThreadCode& code, mlir::Value registers, const ConversionPlan& plan);

/// For RDNA, whose waves have 32 lanes: the value (32 bits) of the lane with the same number in the
/// other half of the wave. v_permlanex16_b32 exchanges the halves without LDS (RDNA3 ISA,
/// "V_PERMLANEX16_B32").
mlir::Value of_other_half(mlir::ImplicitLocOpBuilder& builder, mlir::Value value);

}  // namespace heddle::compiler
