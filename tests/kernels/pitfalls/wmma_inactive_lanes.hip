// A WMMA inside a branch that some lanes do not take.
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
    // The condition is opaque, so that the compiler cannot know it holds for all lanes.
    int limit = MISTAKE ? 31 : 32;
    asm volatile("" : "+v"(limit));
    if (at.lane < limit) sum = multiply_accumulate(x, y, sum);
  }
  store(at, sum, c, n);
}
