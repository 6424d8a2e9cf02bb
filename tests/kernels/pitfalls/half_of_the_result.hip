// Every other register of the sums is stored.
#include "tile_product.h"

extern "C" __global__ void __launch_bounds__(32)
    product(const half* a, const half* b, float* c, int n, int k) {
  const Place at = place_of_wave();
  float8 sum = {};
  for (int k_base = 0; k_base < k; k_base += 16) {
    const Fragment x =
        load(at.lane, [&](int r, int kk) { return a[(at.row + r) * k + k_base + kk]; });
    const Fragment y =
        load(at.lane, [&](int r, int kk) { return b[(k_base + kk) * n + at.column + r]; });
    sum = multiply_accumulate(x, y, sum);
  }
  for (int e = 0; e < 8; e += MISTAKE ? 2 : 1)
    c[(at.row + accumulator_row(at.lane, e)) * n + at.column + at.lane % 16] = sum[e];
}
