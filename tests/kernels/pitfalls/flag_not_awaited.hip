// The first workgroup makes what the second one uses, and raises a flag for which that one does not
// wait.
#include "between_workgroups.h"

extern "C" __global__ void __launch_bounds__(64)
    hand_over(const int* x, int* between, int* flag, int* y) {
  const int i = thread_index();
  if (block_index_x() == 0) {
    between[i] = 2 * x[i];
    synchronize_block();
    if (i == 0) store_release(flag, 1);
  } else {
    if (!MISTAKE)
      while (load_acquire(flag) == 0) __builtin_amdgcn_s_sleep(1);
    y[i] = between[i] + 1;
  }
}

extern "C" __global__ void __launch_bounds__(64)
    straight(const int* x, int* between, int* flag, int* y) {
  const int i = thread_index();
  if (block_index_x() == 1) y[i] = 2 * x[i] + 1;
}
