// C = A * B', a block of 4 waves for each 64x64 tile of C, through LDS: a wave makes 32x32 of it as
// 2x2 fragments. A is m x k, B is n x k, C is m x n, row-major; m and n are multiples of 64, k
// of 32.
#include "heddle/device/multiply_accumulate.h"
#include "heddle/device/shared_tile.h"

using namespace heddle::device;

#ifndef BARRIERS
#define BARRIERS 1
#endif
#ifndef LAYOUT
#define LAYOUT Swizzled<tile, slice, 8, 1, 3>
#endif

constexpr int tile = 64, slice = 32;
using Slice = SharedTile<half_t, LAYOUT>;

// Two pieces of 8 halves for each of the 128 threads; 4 threads take a row.
__device__ inline void stage(Slice& to, const half_t* from, int k) {
  const int t = thread_index_x(), column = 8 * (t % 4);
  for (int row = t / 4; row < tile; row += 32)
    to.store(row, column, *reinterpret_cast<const half8*>(from + row * k + column));
}

__device__ inline void meet() {
  if (BARRIERS) synchronize_block();
}

extern "C" __global__ void __launch_bounds__(128)
    gemm(const half_t* a, const half_t* b, float* c, int n, int k) {
  static __shared__ Slice a_slice, b_slice;
  const int row = tile * block_index_y(), column = tile * block_index_x();
  const int wave_row = 32 * (wave_index() / 2), wave_column = 32 * (wave_index() % 2);
  Accumulator<float> sum[2][2] = {};
  for (int kk = 0; kk < k; kk += slice) {
    stage(a_slice, a + row * k + kk, k);
    stage(b_slice, b + column * k + kk, k);
    meet();
#pragma unroll
    for (int step = 0; step < slice; step += 16) {
      FragmentA<half_t> x[2];
      FragmentB<half_t> y[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        load_matrix_sync_lds(x[i], a_slice, wave_row + 16 * i, step);
        load_matrix_sync_lds_b_transposed(y[i], b_slice, wave_column + 16 * i, step);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) sum[i][j] = multiply_accumulate(x[i], y[j], sum[i][j]);
    }
    meet();
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
      store_matrix_sync(c + (row + wave_row + 16 * i) * n + column + wave_column + 16 * j,
                        sum[i][j], n);
}
