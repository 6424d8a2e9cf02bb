// Common pitfall 3, manual packing: the fragment of A is put together from pairs of halves in words
// whose order is another than that of B: even k first, then odd ones.
#include "tile_product.h"

extern "C" __global__ void __launch_bounds__(32)
    product(const half* a, const half* b, float* c, int n, int k) {
  const Place at = place_of_wave();
  float8 sum = {};
  for (int k_base = 0; k_base < k; k_base += 16) {
    const Fragment x = load(at.lane, [&](int r, int kk) {
      const int packed = kk < 8 ? 2 * kk : 2 * (kk - 8) + 1;
      return a[(at.row + r) * k + k_base + (MISTAKE ? packed : kk)];
    });
    const Fragment y =
        load(at.lane, [&](int r, int kk) { return b[(k_base + kk) * n + at.column + r]; });
    sum = multiply_accumulate(x, y, sum);
  }
  store(at, sum, c, n);
}
