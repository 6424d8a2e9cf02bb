// C = A * B on matrix cores, the simplest way: one wave makes one 16x16 tile of C, straight
// from global memory. A is m x k, B is k x n, C is m x n, all row-major; any sizes.
//
// Launch: blocks of 32 threads, ceil(n / 16) x ceil(m / 16) of them.
#include "wmma_fragment.h"

extern "C" __global__ void __launch_bounds__(32)
    wmma_naive(const half* a, const half* b, float* c, int m, int n, int k) {
  const int lane = thread_index();
  const int tile_row = 16 * block_index_y();
  const int tile_column = 16 * block_index_x();
  const int row = tile_row + fragment_row(lane);
  const int column = tile_column + fragment_row(lane);

  float8 sum = {};
  for (int k_base = 0; k_base < k; k_base += 16) {
    // Outside the matrices a fragment holds zeros, which add nothing to the sum.
    Fragment a_fragment = {};
    Fragment b_fragment = {};
    for (int e = 0; e < fragment_size; ++e) {
      const int kk = k_base + fragment_k(lane) + e;
      if (row < m && kk < k) a_fragment[e] = a[row * k + kk];
      if (column < n && kk < k) b_fragment[e] = b[kk * n + column];
    }
    sum = multiply_accumulate(a_fragment, b_fragment, sum);
  }

  for (int e = 0; e < 8; ++e) {
    const int output_row = tile_row + accumulator_row(lane, e);
    if (output_row < m && column < n) c[output_row * n + column] = sum[e];
  }
}
