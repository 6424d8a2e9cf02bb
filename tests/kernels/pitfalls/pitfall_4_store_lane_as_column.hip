// Common pitfall 4, wrong C store pattern: C[tile_row + i][tile_column + lane], as if a register
// held one row of 32 columns. Tiles are 32 columns apart, so that no wave writes into another's.
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
  for (int e = 0; e < 8; ++e)
    if (MISTAKE)
      c[(at.row + e) * 64 + 2 * at.column + at.lane] = sum[e];
    else
      c[(at.row + accumulator_row(at.lane, e)) * 64 + 2 * at.column + at.lane % 16] = sum[e];
}
