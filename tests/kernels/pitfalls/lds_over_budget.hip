// More LDS than a workgroup has: dynamic LDS behind the static one.
#include "tile_product.h"

static __shared__ int shared[MISTAKE ? 20000 : 64];

extern "C" __global__ void __launch_bounds__(64) copy(const int* x, int* y) {
  const int i = thread_index(), base = 64 * block_index_x();
  shared[i] = x[base + i];
  synchronize_block();
  y[base + i] = shared[i];
}
