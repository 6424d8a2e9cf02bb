// Lanes that read a column of a row-major array.
#include "tile_product.h"

extern "C" __global__ void __launch_bounds__(32) copy(const int* x, int* y) {
  const int i = thread_index();
#pragma nounroll
  for (int row = 0; row < 32; ++row) {
    const int place = MISTAKE ? i * 32 + row : row * 32 + i;
    y[place] = x[place] + 1;
  }
}
