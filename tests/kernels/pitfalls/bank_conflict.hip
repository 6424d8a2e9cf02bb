// Lanes that are 32 words apart in LDS, without padding: 32 of them in one bank.
#include "tile_product.h"

constexpr int pitch = MISTAKE ? 32 : 33;
static __shared__ int shared[32 * pitch];

extern "C" __global__ void __launch_bounds__(32) copy(const int* x, int* y) {
  const int i = thread_index();
  for (int row = 0; row < 32; ++row) shared[row * pitch + i] = x[row * 32 + i];
  synchronize_block();
  for (int row = 0; row < 32; ++row) y[row * 32 + i] = shared[i * pitch + row];
}
