// C = A * B on CDNA's matrix cores, the simplest way: one wave of 64 makes one 32x32 tile of C,
// straight from global memory. A is m x k, B is k x n, C is m x n, all row-major; any sizes.
//
// Launch: blocks of 64 threads, ceil(n / 32) x ceil(m / 32) of them (examples/mfma.launch).
#include "heddle/device/load_store.h"
#include "heddle/device/multiply_accumulate.h"

using namespace heddle::device;

// One v_mfma_f32_32x32x8_f16 a step.
constexpr int side = 32, depth = 8;

extern "C" __global__ void __launch_bounds__(64)
    mfma(const half_t* a, const half_t* b, float* c, int m, int n, int k) {
  const long row = static_cast<long>(side) * block_index_y();
  const long column = static_cast<long>(side) * block_index_x();

  auto sum = Accumulator<float, family_here, side>::filled(0);
  for (long kk = 0; kk < k; kk += depth) {
    // Outside the matrices a fragment holds zeros, which add nothing to the sum.
    FragmentA<half_t, family_here, depth, side> a_fragment;
    FragmentB<half_t, family_here, depth, side> b_fragment;
    load_matrix_sync_bounded(a_fragment, a + row * k + kk, k, m - row, k - kk);
    load_matrix_sync_bounded(b_fragment, b + kk * n + column, n, k - kk, n - column);
    sum = multiply_accumulate(a_fragment, b_fragment, sum);
  }
  store_matrix_sync_bounded(c + row * n + column, sum, n, m - row, n - column);
}
