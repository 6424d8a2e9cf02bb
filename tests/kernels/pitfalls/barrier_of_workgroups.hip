// All workgroups meet at a barrier of their own making, twice, and read between what others wrote.
// The mistake: the arrival is not a release.
#include "between_workgroups.h"

__device__ inline void meet(int* arrived, int* phase, int workgroups) {
  synchronize_block();
  if (thread_index() == 0) {
    const int now = load_relaxed(phase);
    const int before = MISTAKE ? add_relaxed(arrived, 1) : add_ordered(arrived, 1);
    if (before == workgroups - 1) {
      store_relaxed(arrived, 0);
      store_release(phase, now + 1);
    } else {
      while (load_acquire(phase) == now) __builtin_amdgcn_s_sleep(1);
    }
  }
  synchronize_block();
}

extern "C" __global__ void __launch_bounds__(64)
    turn_twice(const int* x, int* between, int* arrived, int* phase, int* y, int workgroups) {
  const int i = thread_index(), group = block_index_x();
  between[64 * group + i] = x[64 * group + i];
  meet(arrived, phase, workgroups);
  const int other = between[64 * ((group + 1) % workgroups) + i];
  meet(arrived, phase, workgroups);
  between[64 * group + i] = other;
  meet(arrived, phase, workgroups);
  y[64 * group + i] = between[64 * ((group + 1) % workgroups) + i];
}

extern "C" __global__ void __launch_bounds__(64)
    straight(const int* x, int* between, int* arrived, int* phase, int* y, int workgroups) {
  const int i = thread_index(), group = block_index_x();
  y[64 * group + i] = x[64 * ((group + 2) % workgroups) + i];
}
