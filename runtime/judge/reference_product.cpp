#include "runtime/judge/reference_product.h"

#include <algorithm>
#include <cstring>

namespace heddle::runtime {
namespace {

// The size of a block of B. It stays in the first-level cache while all rows of A use it. The block
// is a contiguous copy: if the width of B is a power of two, the rows of B itself would share a few
// lines of the cache.
constexpr std::ptrdiff_t block_depth = 64, block_columns = 32;
struct Block {
  alignas(64) double at[block_depth][block_columns];
};

using Doubles = double __attribute__((vector_size(64)));
constexpr std::ptrdiff_t vector_columns = sizeof(Doubles) / sizeof(double);

// Adds to `count` rows of sums, for as many columns as a vector has. The sums stay in registers for
// all k.
template <int count>
[[gnu::always_inline]] inline void add_rows(const double* a, std::ptrdiff_t a_stride,
                                            const Block& b, std::ptrdiff_t column, double* sums,
                                            std::ptrdiff_t sums_stride, std::ptrdiff_t depth,
                                            std::size_t bytes) {
  Doubles sum[count] = {};
  for (int i = 0; i < count; ++i) std::memcpy(&sum[i], sums + i * sums_stride, bytes);
  for (std::ptrdiff_t k = 0; k < depth; ++k) {
    Doubles row;
    std::memcpy(&row, &b.at[k][column], sizeof row);
    for (int i = 0; i < count; ++i) sum[i] += a[i * a_stride + k] * row;
  }
  for (int i = 0; i < count; ++i) std::memcpy(sums + i * sums_stride, &sum[i], bytes);
}

[[gnu::always_inline]] inline void add_block(const double* a, std::ptrdiff_t a_stride,
                                             const Block& b, double* sums,
                                             std::ptrdiff_t sums_stride, std::ptrdiff_t rows,
                                             std::ptrdiff_t columns, std::ptrdiff_t depth) {
  constexpr int together = 4;
  for (std::ptrdiff_t row = 0; row < rows;) {
    const bool many = row + together <= rows;
    for (std::ptrdiff_t j = 0; j < columns; j += vector_columns) {
      const double* x = a + row * a_stride;
      double* to = sums + row * sums_stride + j;
      // Whole vectors pass a constant number of bytes, so that a copy is a single instruction.
      if (many && j + vector_columns <= columns)
        add_rows<together>(x, a_stride, b, j, to, sums_stride, depth, sizeof(Doubles));
      else
        for (int i = 0; i < (many ? together : 1); ++i)
          add_rows<1>(
              x + i * a_stride, a_stride, b, j, to + i * sums_stride, sums_stride, depth,
              static_cast<std::size_t>(std::min(vector_columns, columns - j)) * sizeof(double));
    }
    row += many ? together : 1;
  }
}

[[gnu::always_inline]] inline void product(const double* a, std::ptrdiff_t a_stride,
                                           const double* b, std::ptrdiff_t b_stride, double* sums,
                                           std::ptrdiff_t sums_stride, std::ptrdiff_t rows,
                                           std::ptrdiff_t columns, std::ptrdiff_t depth) {
  Block block;
  for (std::ptrdiff_t j = 0; j < columns; j += block_columns) {
    const std::ptrdiff_t width = std::min(block_columns, columns - j);
    for (std::ptrdiff_t k = 0; k < depth; k += block_depth) {
      const std::ptrdiff_t height = std::min(block_depth, depth - k);
      for (std::ptrdiff_t i = 0; i < height; ++i) {
        std::memcpy(block.at[i], b + (k + i) * b_stride + j,
                    static_cast<std::size_t>(width) * sizeof(double));
        std::fill(block.at[i] + width, block.at[i] + block_columns, 0.0);
      }
      add_block(a + k, a_stride, block, sums + j, sums_stride, rows, width, height);
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
