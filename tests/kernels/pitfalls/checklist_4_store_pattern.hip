// Verification checklist 4, C store pattern: the rows of the other generation, 8 * (lane / 16) + i
// instead of 2 * i + lane / 16 on gfx11, and the other way round on gfx12.
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
  for (int e = 0; e < 8; ++e) {
    const int right_row = accumulator_row(at.lane, e);
    const int other_row = fragment_size == 16 ? 8 * (at.lane / 16) + e : 2 * e + at.lane / 16;
    c[(at.row + (MISTAKE ? other_row : right_row)) * n + at.column + at.lane % 16] = sum[e];
  }
}
