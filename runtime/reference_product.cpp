#include "runtime/reference_product.h"

#include <algorithm>

namespace heddle::runtime {
namespace {

/// Blocks of k and of columns small enough that a piece of B stays in the first cache while all
/// rows use it.
[[gnu::always_inline]] inline void product(const double* a, std::ptrdiff_t a_stride,
                                           const double* b, std::ptrdiff_t b_stride, double* sums,
                                           std::ptrdiff_t sums_stride, std::ptrdiff_t rows,
                                           std::ptrdiff_t columns, std::ptrdiff_t depth) {
  constexpr std::ptrdiff_t block = 64;
  constexpr std::ptrdiff_t unroll = 4;
  for (std::ptrdiff_t j0 = 0; j0 < columns; j0 += block) {
    const std::ptrdiff_t width = std::min(block, columns - j0);
    for (std::ptrdiff_t k0 = 0; k0 < depth; k0 += block) {
      const std::ptrdiff_t k_end = std::min(depth, k0 + block);
      for (std::ptrdiff_t row = 0; row < rows; ++row) {
        double* sum = sums + row * sums_stride + j0;
        std::ptrdiff_t k = k0;
        for (; k + unroll <= k_end; k += unroll) {
          const double* x = a + row * a_stride + k;
          const double* y = b + k * b_stride + j0;
          for (std::ptrdiff_t j = 0; j < width; ++j)
            sum[j] += x[0] * y[j] + x[1] * y[j + b_stride] + x[2] * y[j + 2 * b_stride] +
                      x[3] * y[j + 3 * b_stride];
        }
        for (; k < k_end; ++k)
          for (std::ptrdiff_t j = 0; j < width; ++j)
            sum[j] += a[row * a_stride + k] * b[k * b_stride + j0 + j];
      }
    }
  }
}

using ProductLoop = void(const double*, std::ptrdiff_t, const double*, std::ptrdiff_t, double*,
                         std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t);

void product_portable(const double* a, std::ptrdiff_t as, const double* b, std::ptrdiff_t bs,
                      double* s, std::ptrdiff_t ss, std::ptrdiff_t m, std::ptrdiff_t n,
                      std::ptrdiff_t k) {
  product(a, as, b, bs, s, ss, m, n, k);
}

#if defined(__x86_64__)
[[gnu::target("avx512f"),
  gnu::noinline]] void product_avx512(const double* a, std::ptrdiff_t as, const double* b,
                                      std::ptrdiff_t bs, double* s, std::ptrdiff_t ss,
                                      std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k) {
  product(a, as, b, bs, s, ss, m, n, k);
}

[[gnu::target("avx2,fma"), gnu::noinline]] void product_avx2(const double* a, std::ptrdiff_t as,
                                                             const double* b, std::ptrdiff_t bs,
                                                             double* s, std::ptrdiff_t ss,
                                                             std::ptrdiff_t m, std::ptrdiff_t n,
                                                             std::ptrdiff_t k) {
  product(a, as, b, bs, s, ss, m, n, k);
}
#endif

ProductLoop* best_product() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return product_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return product_avx2;
#endif
  return product_portable;
}

}  // namespace

void add_product(const double* a, std::ptrdiff_t a_stride, const double* b, std::ptrdiff_t b_stride,
                 double* sums, std::ptrdiff_t sums_stride, std::ptrdiff_t rows,
                 std::ptrdiff_t columns, std::ptrdiff_t depth) {
  static ProductLoop* const chosen = best_product();
  chosen(a, a_stride, b, b_stride, sums, sums_stride, rows, columns, depth);
}

}  // namespace heddle::runtime
