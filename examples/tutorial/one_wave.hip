// C = A * B', one wave for each 16x16 tile of C. A is m x k, B is n x k, C is m x n, row-major;
// m and n are multiples of 16, k of 16.
#include "heddle/device/load_store.h"
#include "heddle/device/multiply_accumulate.h"

using namespace heddle::device;

#ifndef ORDER_OF_B
#define ORDER_OF_B column_major
#endif

extern "C" __global__ void __launch_bounds__(32)
    gemm(const half_t* a, const half_t* b, float* c, int n, int k) {
  const int row = 16 * block_index_y();
  const int column = 16 * block_index_x();
  auto sum = Accumulator<float>::filled(0);
  for (int kk = 0; kk < k; kk += 16) {
    FragmentA<half_t> a_fragment;
    FragmentB<half_t> b_fragment;
    load_matrix_sync(a_fragment, a + row * k + kk, k);
    // The operand of the instruction is k x n, and a row of B in memory is one of its columns.
    load_matrix_sync<Order::ORDER_OF_B>(b_fragment, b + column * k + kk, k);
    sum = multiply_accumulate(a_fragment, b_fragment, sum);
  }
  store_matrix_sync(c + row * n + column, sum, n);
}
