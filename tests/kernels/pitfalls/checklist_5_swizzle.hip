// Verification checklist 5, LDS swizzle: groups of 8 k of A lie in LDS where an XOR with a bit of
// the row puts them, and the load forgets it.
#include "tile_product.h"

alignas(16) static __shared__ half tile[256];

extern "C" __global__ void __launch_bounds__(32)
    product(const half* a, const half* b, float* c, int n, int k) {
  const Place at = place_of_wave();
  float8 sum = {};
  for (int k_base = 0; k_base < k; k_base += 16) {
    for (int i = at.lane; i < 256; i += 32) {
      const int row = i / 16, kk = i % 16;
      tile[row * 16 + (kk ^ (row >> 2 & 1) * 8)] = a[(at.row + row) * k + k_base + kk];
    }
    synchronize_block();
    // A group of 8 k is one 16-byte load.
    Fragment x;
#pragma unroll
    for (int part = 0; part < fragment_size / 8; ++part) {
      const int row = at.lane % 16, group = fragment_k(at.lane) / 8 + part;
      const int there = MISTAKE ? group : group ^ (row >> 2 & 1);
      const half8 values = *reinterpret_cast<const half8*>(&tile[row * 16 + 8 * there]);
#pragma unroll
      for (int e = 0; e < 8; ++e) x[8 * part + e] = values[e];
    }
    synchronize_block();
    const Fragment y =
        load(at.lane, [&](int r, int kk) { return b[(k_base + kk) * n + at.column + r]; });
    sum = multiply_accumulate(x, y, sum);
  }
  store(at, sum, c, n);
}
