// What tests/device/mfma_test.cpp runs: a product of one wave for every MFMA that
// heddle/device/multiply_accumulate.h offers on the processor.
#include "heddle/device/load_store.h"
#include "heddle/device/multiply_accumulate.h"

using namespace heddle::device;

// D = A * B + C, m and n at most `side`, any k. Bits of `flags`: 0, 1, 2: A, B, C and D are
// column-major.
struct Product {
  int m, n, k, lda, ldb, ldc, flags;
};

template <class F, class Memory>
__device__ void load(F& fragment, const Memory* pointer, int stride, int rows, int columns,
                     bool column_major) {
  if (column_major)
    load_matrix_sync_bounded<Order::column_major>(fragment, pointer, stride, rows, columns);
  else if (rows >= F::rows && columns >= F::columns)
    load_matrix_sync(fragment, pointer, stride);
  else
    load_matrix_sync_bounded(fragment, pointer, stride, rows, columns);
}

template <class TA, class TB, class TD, int depth, int side>
__device__ void multiply(const TA* a, const TB* b, const TD* c, TD* d, const Product& p) {
  const bool a_columns = p.flags & 1, b_columns = p.flags & 2, c_columns = p.flags & 4;
  Accumulator<TD, family_here, side> sum;
  load(sum, c, p.ldc, p.m, p.n, c_columns);
  for (int k = 0; k < p.k; k += depth) {
    FragmentA<TA, family_here, depth, side> fa;
    FragmentB<TB, family_here, depth, side> fb;
    load(fa, a + (a_columns ? k * p.lda : k), p.lda, p.m, p.k - k, a_columns);
    load(fb, b + (b_columns ? k : k * p.ldb), p.ldb, p.k - k, p.n, b_columns);
    sum = multiply_accumulate(fa, fb, sum);
  }
  if (c_columns)
    store_matrix_sync_bounded<Order::column_major>(d, sum, p.ldc, p.m, p.n);
  else if (p.m == side && p.n == side)
    store_matrix_sync(d, sum, p.ldc);
  else
    store_matrix_sync_bounded(d, sum, p.ldc, p.m, p.n);
}

#define MULTIPLY(name, TA, TB, TD, depth, side)                                  \
  extern "C" __global__ void __launch_bounds__(64)                               \
      multiply_##name(const TA* a, const TB* b, const TD* c, TD* d, Product p) { \
    multiply<TA, TB, TD, depth, side>(a, b, c, d, p);                            \
  }
using i8 = std::int8_t;
using i32 = std::int32_t;
MULTIPLY(f32_16x16x16_f16, half_t, half_t, float, 16, 16)
MULTIPLY(f32_32x32x8_f16, half_t, half_t, float, 8, 32)
MULTIPLY(f32_16x16x16_bf16, bhalf_t, bhalf_t, float, 16, 16)
MULTIPLY(f32_32x32x8_bf16, bhalf_t, bhalf_t, float, 8, 32)
MULTIPLY(f32_16x16x4_f32, float, float, float, 4, 16)
MULTIPLY(f32_32x32x2_f32, float, float, float, 2, 32)
#if defined(__gfx90a__)
MULTIPLY(i32_16x16x16_i8, i8, i8, i32, 16, 16)
MULTIPLY(i32_32x32x8_i8, i8, i8, i32, 8, 32)
#else
MULTIPLY(i32_16x16x32_i8, i8, i8, i32, 32, 16)
MULTIPLY(i32_32x32x16_i8, i8, i8, i32, 16, 32)
MULTIPLY(f32_16x16x32_fp8_fp8, fp8_t, fp8_t, float, 32, 16)
MULTIPLY(f32_16x16x32_fp8_bf8, fp8_t, bf8_t, float, 32, 16)
MULTIPLY(f32_16x16x32_bf8_fp8, bf8_t, fp8_t, float, 32, 16)
MULTIPLY(f32_16x16x32_bf8_bf8, bf8_t, bf8_t, float, 32, 16)
MULTIPLY(f32_32x32x16_fp8_fp8, fp8_t, fp8_t, float, 16, 32)
MULTIPLY(f32_32x32x16_fp8_bf8, fp8_t, bf8_t, float, 16, 32)
MULTIPLY(f32_32x32x16_bf8_fp8, bf8_t, fp8_t, float, 16, 32)
MULTIPLY(f32_32x32x16_bf8_bf8, bf8_t, bf8_t, float, 16, 32)
#endif
#if defined(__gfx950__)
MULTIPLY(f32_16x16x32_f16, half_t, half_t, float, 32, 16)
MULTIPLY(f32_32x32x16_f16, half_t, half_t, float, 16, 32)
MULTIPLY(f32_16x16x32_bf16, bhalf_t, bhalf_t, float, 32, 16)
MULTIPLY(f32_32x32x16_bf16, bhalf_t, bhalf_t, float, 16, 32)
MULTIPLY(i32_16x16x64_i8, i8, i8, i32, 64, 16)
MULTIPLY(i32_32x32x32_i8, i8, i8, i32, 32, 32)
MULTIPLY(f32_16x16x128_fp8_bf8, fp8_t, bf8_t, float, 128, 16)
MULTIPLY(f32_32x32x64_bf8_fp8, bf8_t, fp8_t, float, 64, 32)
#endif
