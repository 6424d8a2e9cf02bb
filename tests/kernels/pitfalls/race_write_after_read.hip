// The next round writes to LDS what the other wave may still be reading: the second barrier is
// missing.
#include "tile_product.h"

static __shared__ int shared[64];

extern "C" __global__ void __launch_bounds__(64) copy(const int* x, int* y) {
  const int i = thread_index(), base = 64 * block_index_x();
  int sum = 0;
  for (int round = 0; round < 2; ++round) {
    shared[i] = x[base + i] + round;
    synchronize_block();
    sum += shared[63 - i];
    if (!MISTAKE) synchronize_block();
  }
  y[base + i] = (sum - 1) / 2;
}

// The reference: without LDS.
extern "C" __global__ void __launch_bounds__(64) straight(const int* x, int* y) {
  y[64 * block_index_x() + thread_index()] = x[64 * block_index_x() + 63 - thread_index()];
}
