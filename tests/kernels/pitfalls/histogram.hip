// How often each value occurs, with atomics on LDS, then on global memory. The mistake: the parts of
// the workgroups are added without atomics.
#include "between_workgroups.h"

static __shared__ int bins[64];

extern "C" __global__ void __launch_bounds__(64) count(const int* x, int* y) {
  const int i = thread_index();
  bins[i] = 0;
  synchronize_block();
  __hip_atomic_fetch_add(&bins[x[64 * block_index_x() + i] & 63], 1, __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_WORKGROUP);
  synchronize_block();
  if (MISTAKE)
    y[i] += bins[i];
  else
    add_relaxed(&y[i], bins[i]);
}

extern "C" __global__ void __launch_bounds__(64) straight(const int* x, int* y) {
  if (block_index_x() != 0) return;
  int sum = 0;
  for (int k = 0; k < 256; ++k) sum += (x[k] & 63) == thread_index();
  y[thread_index()] = sum;
}
