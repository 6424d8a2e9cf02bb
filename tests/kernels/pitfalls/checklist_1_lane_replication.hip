// Verification checklist 1, lane replication of B: lanes 16 to 31 load columns of their own. B has
// 16 columns more than are used, so that this reads no memory of others.
#include "tile_product.h"

extern "C" __global__ void __launch_bounds__(32)
    product(const half* a, const half* b, float* c, int n, int k) {
  const Place at = place_of_wave();
  float8 sum = {};
  for (int k_base = 0; k_base < k; k_base += 16) {
    const int column = at.column + (MISTAKE ? at.lane : at.lane % 16);
    const Fragment x =
        load(at.lane, [&](int r, int kk) { return a[(at.row + r) * k + k_base + kk]; });
    const Fragment y =
        load(at.lane, [&](int, int kk) { return b[(k_base + kk) * (n + 16) + column]; });
    sum = multiply_accumulate(x, y, sum);
  }
  store(at, sum, c, n);
}
