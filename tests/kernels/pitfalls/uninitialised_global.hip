// The kernel adds to an array that holds nothing yet.
#include "tile_product.h"

extern "C" __global__ void __launch_bounds__(64) copy(const int* x, int* y) {
  const int i = 64 * block_index_x() + thread_index();
  y[i] = x[i] + (MISTAKE ? y[i] : 0);
}
