// C = A * B on matrix cores, the simplest way: one wave makes one 16x16 tile of C, straight
// from global memory. A is m x k, B is k x n, C is m x n, all row-major; any sizes.
//
// Launch: blocks of 32 threads, ceil(n / 16) x ceil(m / 16) of them.
#include "heddle/device/load_store.h"
#include "heddle/device/multiply_accumulate.h"

using namespace heddle::device;

extern "C" __global__ void __launch_bounds__(32)
    wmma_naive(const half_t* a, const half_t* b, float* c, int m, int n, int k) {
  const long row = 16L * block_index_y();
  const long column = 16L * block_index_x();

  auto sum = Accumulator<float>::filled(0);
  for (long kk = 0; kk < k; kk += 16) {
    // Outside the matrices a fragment holds zeros, which add nothing to the sum.
    FragmentA<half_t> a_fragment;
    FragmentB<half_t> b_fragment;
    load_matrix_sync_bounded(a_fragment, a + row * k + kk, k, m - row, k - kk);
    load_matrix_sync_bounded(b_fragment, b + kk * n + column, n, k - kk, n - column);
    sum = multiply_accumulate(a_fragment, b_fragment, sum);
  }
  store_matrix_sync_bounded(c + row * n + column, sum, n, m - row, n - column);
}
