// The headers after ROCm's: nothing is defined twice, and __half is another name for the bits.
#include "imitation_of_rocm.h"
// ROCm's come first.
#include "heddle/device/load_store.h"
#include "heddle/device/multiply_accumulate.h"
#include "heddle/device/shared_tile.h"
#include "heddle/interop/rocwmma.h"

using namespace heddle::device;

extern "C" __global__ void __launch_bounds__(32, 1)
    with_half(const half* a, const half* b, float* d) {
  __shared__ half a_lds[16][24];
  for (int k = 0; k < 16; ++k) a_lds[thread_index_x() % 16][k] = a[thread_index_x() % 16 * 16 + k];
  synchronize_block();
  FragmentA<half_t> fa;
  FragmentB<half_t> fb;
  load_matrix_sync_lds(fa, &a_lds[0][0], 24);
  load_matrix_sync_lds_b_transposed(fb, b, 16);
  auto sum = Accumulator<float>::filled(0);
  sum = multiply_accumulate(fa, fb, sum);
  store_matrix_sync(d, sum, 16);
}

extern "C" __global__ void __launch_bounds__(32, 1)
    fragments_of_half(const half* a, const rocwmma::hfloat16_t* b, float* d, half* rounded) {
  rocwmma::fragment<rocwmma::matrix_a, 16, 16, 16, half, rocwmma::row_major> fa;
  rocwmma::fragment<rocwmma::matrix_b, 16, 16, 16, rocwmma::hfloat16_t, rocwmma::col_major> fb;
  rocwmma::fragment<rocwmma::accumulator, 16, 16, 16, float> sum;
  rocwmma::fill_fragment(sum, 0.0f);
  rocwmma::load_matrix_sync(fa, a, 16);
  rocwmma::load_matrix_sync(fb, b, 16);
  rocwmma::mma_sync(sum, fa, fb, sum);
  rocwmma::store_matrix_sync(d, sum, 16, rocwmma::mem_row_major);
  rocwmma::store_matrix_sync(rounded, sum, 16, rocwmma::mem_col_major);
}
