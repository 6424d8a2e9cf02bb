// The loop over k takes whole steps of 16 only, and k is 56.
#include "tile_product.h"

extern "C" __global__ void __launch_bounds__(32)
    product(const half* a, const half* b, float* c, int n, int k) {
  const Place at = place_of_wave();
  float8 sum = {};
  for (int k_base = 0; k_base < (MISTAKE ? k / 16 * 16 : k); k_base += 16) {
    // Groups of 8 k are inside as a whole, or outside.
    Fragment x = {}, y = {};
#pragma unroll
    for (int part = 0; part < fragment_size / 8; ++part) {
      const int first = k_base + fragment_k(at.lane) + 8 * part;
      if (first >= k) continue;
      const half8 values = *reinterpret_cast<const half8*>(&a[(at.row + at.lane % 16) * k + first]);
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        x[8 * part + e] = values[e];
        y[8 * part + e] = b[(first + e) * n + at.column + at.lane % 16];
      }
    }
    sum = multiply_accumulate(x, y, sum);
  }
  store(at, sum, c, n);
}
