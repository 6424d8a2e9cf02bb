// Only one of the two waves comes to the barrier, and each reads what the other stores.
#include "tile_product.h"

static __shared__ int shared[64];

extern "C" __global__ void __launch_bounds__(64) copy(const int* x, int* y) {
  const int i = thread_index(), base = 64 * block_index_x();
  shared[i] = x[base + i];
  if (!MISTAKE || __builtin_amdgcn_readfirstlane(i) < 32) synchronize_block();
  y[base + 63 - i] = shared[63 - i];
}
