// The GPU side of differential_functions.h: one kernel per function.
#include "differential_functions.h"

#define KERNEL(function)                                                                          \
  extern "C" __attribute__((global)) void kernel_##function(const uint32_t* in, uint32_t* out) { \
    const int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();      \
    out[i] = function(in + 8 * i);                                                                \
  }

KERNEL(integer_arithmetic)
KERNEL(wide_arithmetic)
KERNEL(short_arithmetic)
KERNEL(float_arithmetic)
KERNEL(extreme_arithmetic)
KERNEL(double_arithmetic)
KERNEL(half_arithmetic)
KERNEL(control_flow)
