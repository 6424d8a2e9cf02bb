// Sums of all elements before each, in one pass: a workgroup publishes its sum, then looks back at
// those before it until one of them knows all of its own (Merrill and Garland, "Single-pass parallel
// prefix scan with decoupled look-back", 2016). The mistake: the state is published without a
// release.
#include "between_workgroups.h"

static __shared__ int before;
static __shared__ int values[32];

__device__ inline void publish(int* state, int what) {
  if (MISTAKE)
    store_relaxed(state, what);
  else
    store_release(state, what);
}

extern "C" __global__ void __launch_bounds__(32)
    scan(const int* x, int* sums, int* prefixes, int* states, int* y) {
  const int i = thread_index(), group = block_index_x();
  values[i] = x[32 * group + i];
  synchronize_block();
  int mine = 0, all = 0;
  for (int l = 0; l < 32; ++l) {
    all += values[l];
    if (l <= i) mine += values[l];
  }
  if (i == 0) {
    sums[group] = all;
    publish(&states[group], 1);
    int sum = 0;
    for (int g = group - 1; g >= 0; --g) {
      int state;
      while ((state = load_acquire(&states[g])) == 0) __builtin_amdgcn_s_sleep(1);
      sum += state == 2 ? prefixes[g] : sums[g];
      if (state == 2) break;
    }
    prefixes[group] = sum + all;
    publish(&states[group], 2);
    before = sum;
  }
  synchronize_block();
  y[32 * group + i] = before + mine;
}

extern "C" __global__ void __launch_bounds__(32)
    straight(const int* x, int* sums, int* prefixes, int* states, int* y) {
  int sum = 0;
  for (int k = 0; k <= 32 * block_index_x() + thread_index(); ++k) sum += x[k];
  y[32 * block_index_x() + thread_index()] = sum;
}
