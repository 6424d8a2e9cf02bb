// Verification checklist 2, "column loading for A: iterate rows, fixed column per lane", taken at
// its word, in one tile: the product is A' B.
#include "tile_product.h"

extern "C" __global__ void __launch_bounds__(32)
    product(const half* a, const half* b, float* c, int n, int k) {
  const Place at = place_of_wave();
  float8 sum = {};
  for (int k_base = 0; k_base < k; k_base += 16) {
    const Fragment x = load(at.lane, [&](int r, int kk) {
      return MISTAKE ? a[(at.row + kk) * k + k_base + r] : a[(at.row + r) * k + k_base + kk];
    });
    const Fragment y =
        load(at.lane, [&](int r, int kk) { return b[(k_base + kk) * n + at.column + r]; });
    sum = multiply_accumulate(x, y, sum);
  }
  store(at, sum, c, n);
}
