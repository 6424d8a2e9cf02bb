// One element beyond the end of the array.
#include "tile_product.h"

extern "C" __global__ void __launch_bounds__(64) copy(const int* x, int* y) {
  const int i = 64 * block_index_x() + thread_index();
  y[i] = x[i];
  if (MISTAKE && i == 127) y[i + 1] = 0;
}
