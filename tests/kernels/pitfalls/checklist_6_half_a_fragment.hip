// Verification checklist 6, helper functions instead of manual construction: half of the elements
// of a fragment that is built by hand are
// never filled.
#include "tile_product.h"

extern "C" __global__ void __launch_bounds__(32)
    product(const half* a, const half* b, float* c, int n, int k) {
  const Place at = place_of_wave();
  float8 sum = {};
  for (int k_base = 0; k_base < k; k_base += 16) {
    Fragment x = {};
#pragma unroll
    for (int e = 0; e < (MISTAKE ? fragment_size / 2 : fragment_size); ++e)
      x[e] = a[(at.row + at.lane % 16) * k + k_base + fragment_k(at.lane) + e];
    const Fragment y =
        load(at.lane, [&](int r, int kk) { return b[(k_base + kk) * n + at.column + r]; });
    sum = multiply_accumulate(x, y, sum);
  }
  store(at, sum, c, n);
}
