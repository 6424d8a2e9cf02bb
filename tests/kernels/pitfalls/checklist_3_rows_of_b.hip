// Verification checklist 3, row loading of B from B transposed in memory: the lane takes a column
// of it, which is a row of B.
#include "tile_product.h"

extern "C" __global__ void __launch_bounds__(32)
    product(const half* a, const half* b, float* c, int n, int k) {
  const Place at = place_of_wave();
  float8 sum = {};
  for (int k_base = 0; k_base < k; k_base += 16) {
    const Fragment x =
        load(at.lane, [&](int r, int kk) { return a[(at.row + r) * k + k_base + kk]; });
    const Fragment y = load(at.lane, [&](int r, int kk) {
      return MISTAKE ? b[(at.column + kk) * k + k_base + r] : b[(at.column + r) * k + k_base + kk];
    });
    sum = multiply_accumulate(x, y, sum);
  }
  store(at, sum, c, n);
}
