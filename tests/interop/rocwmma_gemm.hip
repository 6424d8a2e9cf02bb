// GEMMs written as one writes them for rocWMMA: D = alpha * A * B + beta * C, two waves along m and
// two along n a block. Which layouts A, B and C have is chosen by bits 0, 1 and 2 of `layouts`.
#include "heddle/interop/rocwmma.h"

using rocwmma::bfloat16_t;
using rocwmma::col_major;
using rocwmma::float16_t;
using rocwmma::float32_t;
using rocwmma::row_major;

struct Sizes {
  unsigned m, n, k, lda, ldb, ldc;
  float alpha, beta;
};

template <unsigned block_m, unsigned block_n, unsigned block_k, class LayoutA, class LayoutB,
          class In, class Out, class Compute>
__device__ void gemm(const In* a, const In* b, const Out* c, Out* d, const Sizes& s,
                     rocwmma::layout_t c_layout) {
  using namespace rocwmma;
  const unsigned row =
      block_m * (heddle::device::block_index_x() * 2 + heddle::device::wave_index() % 2);
  const unsigned column =
      block_n * (heddle::device::block_index_y() * 2 + heddle::device::wave_index() / 2);
  if (row >= s.m || column >= s.n) return;

  fragment<matrix_a, block_m, block_n, block_k, In, LayoutA> fragment_a;
  fragment<matrix_b, block_m, block_n, block_k, In, LayoutB> fragment_b;
  fragment<accumulator, block_m, block_n, block_k, Out> fragment_c;
  fragment<accumulator, block_m, block_n, block_k, Compute> sum;
  fill_fragment(sum, static_cast<Compute>(0));
  for (unsigned k = 0; k < s.k; k += block_k) {
    const bool a_rows = __is_same(LayoutA, row_major), b_rows = __is_same(LayoutB, row_major);
    load_matrix_sync(fragment_a, a + (a_rows ? row * s.lda + k : k * s.lda + row), s.lda);
    load_matrix_sync(fragment_b, b + (b_rows ? k * s.ldb + column : column * s.ldb + k), s.ldb);
    mma_sync(sum, fragment_a, fragment_b, sum);
  }
  const unsigned at = c_layout == mem_row_major ? row * s.ldc + column : column * s.ldc + row;
  load_matrix_sync(fragment_c, c + at, s.ldc, c_layout);
  for (unsigned i = 0; i < fragment_c.num_elements; ++i)
    fragment_c.x[i] = static_cast<Out>(s.alpha * static_cast<float>(sum.x[i]) +
                                       s.beta * static_cast<float>(fragment_c.x[i]));
  store_matrix_sync(d + at, fragment_c, s.ldc, c_layout);
}

#define GEMM(name, block_m, block_n, block_k, In, Out, Compute)                              \
  extern "C" __global__ void __launch_bounds__(128)                                          \
      name(const In* a, const In* b, const Out* c, Out* d, Sizes s, int layouts) {           \
    const auto c_layout = layouts & 4 ? rocwmma::mem_col_major : rocwmma::mem_row_major;     \
    if ((layouts & 3) == 0)                                                                  \
      gemm<block_m, block_n, block_k, row_major, row_major, In, Out, Compute>(a, b, c, d, s, \
                                                                              c_layout);     \
    else if ((layouts & 3) == 1)                                                             \
      gemm<block_m, block_n, block_k, col_major, row_major, In, Out, Compute>(a, b, c, d, s, \
                                                                              c_layout);     \
    else if ((layouts & 3) == 2)                                                             \
      gemm<block_m, block_n, block_k, row_major, col_major, In, Out, Compute>(a, b, c, d, s, \
                                                                              c_layout);     \
    else                                                                                     \
      gemm<block_m, block_n, block_k, col_major, col_major, In, Out, Compute>(a, b, c, d, s, \
                                                                              c_layout);     \
  }

GEMM(f16_f32, 16, 16, 16, float16_t, float32_t, float32_t)
GEMM(f16_f16, 16, 16, 16, float16_t, float16_t, float16_t)
GEMM(f16_by_f32, 16, 16, 16, float16_t, float16_t, float32_t)
GEMM(f16_f32_32x16x48, 32, 16, 48, float16_t, float32_t, float32_t)
GEMM(bf16_f32_16x32x16, 16, 32, 16, bfloat16_t, float32_t, float32_t)
GEMM(i8_i32_16x16x32, 16, 16, 32, std::int8_t, std::int32_t, std::int32_t)
#if defined(__GFX12__)
GEMM(fp8_f32, 16, 16, 16, rocwmma::float8_t, float32_t, float32_t)
#endif

// What the elements of a fragment are: x[i] is written where row(i) and column(i) say.
extern "C" __global__ void __launch_bounds__(32) elements(const float16_t* from, float16_t* to) {
  rocwmma::fragment<rocwmma::matrix_b, 16, 32, 32, float16_t, row_major> b;
  rocwmma::load_matrix_sync(b, from, 32);
  for (unsigned i = 0; i < b.num_elements; ++i) to[b.row(i) * 32 + b.column(i)] = b[i];
}
