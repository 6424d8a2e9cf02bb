// A wave reads from global memory what the other wave of its workgroup stored before the barrier,
// which waits for no store by itself.
#include "between_workgroups.h"

extern "C" __global__ void __launch_bounds__(64) turn(const int* x, int* between, int* y) {
  const int i = thread_index(), base = 64 * block_index_x();
  between[base + i] = x[base + i];
  if (MISTAKE)
    __builtin_amdgcn_s_barrier();
  else
    synchronize_block();
  y[base + i] = between[base + 63 - i];
}

extern "C" __global__ void __launch_bounds__(64) straight(const int* x, int* between, int* y) {
  y[64 * block_index_x() + thread_index()] = x[64 * block_index_x() + 63 - thread_index()];
}
