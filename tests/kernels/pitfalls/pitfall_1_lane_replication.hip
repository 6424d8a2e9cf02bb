// Common pitfall 1, lane replication missing: lanes 16 to 31 load rows of their own instead of
// copies of those of lanes 0 to 15. A has 16 rows more than are used, so that this reads no memory
// of others.
#include "tile_product.h"

extern "C" __global__ void __launch_bounds__(32)
    product(const half* a, const half* b, float* c, int n, int k) {
  const Place at = place_of_wave();
  float8 sum = {};
  for (int k_base = 0; k_base < k; k_base += 16) {
    const int row = at.row + (MISTAKE ? at.lane : at.lane % 16);
    const Fragment x = load(at.lane, [&](int, int kk) { return a[row * k + k_base + kk]; });
    const Fragment y =
        load(at.lane, [&](int r, int kk) { return b[(k_base + kk) * n + at.column + r]; });
    sum = multiply_accumulate(x, y, sum);
  }
  store(at, sum, c, n);
}
