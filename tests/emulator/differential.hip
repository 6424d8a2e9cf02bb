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

// Each thread stores its own numbers and those of its workgroup and of the grid, from the registers
// and arguments that hold them.
extern "C" __attribute__((global)) void kernel_geometry(uint32_t* out) {
  const uint32_t x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(),
                 z = __builtin_amdgcn_workitem_id_z();
  const uint32_t size_x = __builtin_amdgcn_workgroup_size_x(),
                 size_y = __builtin_amdgcn_workgroup_size_y(),
                 size_z = __builtin_amdgcn_workgroup_size_z();
  const uint32_t group_x = __builtin_amdgcn_workgroup_id_x(),
                 group_y = __builtin_amdgcn_workgroup_id_y(),
                 group_z = __builtin_amdgcn_workgroup_id_z();
  const uint32_t groups_x = __builtin_amdgcn_grid_size_x() / size_x,
                 groups_y = __builtin_amdgcn_grid_size_y() / size_y;
  const uint32_t group = (group_z * groups_y + group_y) * groups_x + group_x;
  const uint32_t thread = (z * size_y + y) * size_x + x;
  uint32_t* place = out + 4 * (group * size_x * size_y * size_z + thread);
  place[0] = x | y << 10 | z << 20;
  place[1] = group_x | group_y << 10 | group_z << 20;
  place[2] = size_x | size_y << 10 | size_z << 20;
  place[3] = __builtin_amdgcn_grid_size_z();
}
