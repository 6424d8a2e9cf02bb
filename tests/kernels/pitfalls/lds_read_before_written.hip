// Half of the array in LDS is never written.
#include "tile_product.h"

static __shared__ int shared[64];

extern "C" __global__ void __launch_bounds__(64) copy(const int* x, int* y) {
  const int i = thread_index(), base = 64 * block_index_x();
  if (!MISTAKE || i < 32) shared[i] = x[base + i];
  synchronize_block();
  y[base + i] = shared[63 - i];
}

// The reference: without LDS.
extern "C" __global__ void __launch_bounds__(64) straight(const int* x, int* y) {
  y[64 * block_index_x() + thread_index()] = x[64 * block_index_x() + 63 - thread_index()];
}
