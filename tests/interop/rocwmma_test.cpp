// A GEMM with rocWMMA's names on the emulator: every layout of A, B and C, tiles of several atoms,
// every type; against sums of integers.
#include "heddle/interop/rocwmma.h"

#include <array>

#include "../device/kernels.h"

namespace heddle::device::testing {
namespace rocwmma_test {

using enum instruction::ElementType;

// rocWMMA's own numbers for 16x16x16 on gfx12; on gfx11 the halves of a wave repeat A and B.
using A = ::rocwmma::fragment<::rocwmma::matrix_a, 16, 16, 16, ::rocwmma::float16_t,
                              ::rocwmma::row_major>;
using Sum = ::rocwmma::fragment<::rocwmma::accumulator, 32, 48, 16, ::rocwmma::float32_t>;
static_assert(A::num_elements == 16 && A::height() == 16);
static_assert(Sum::num_elements == 32 * 48 / 32 && Sum::height() == 32 && Sum::width() == 48);

struct Case {
  std::string kernel;
  instruction::ElementType in, out;
  int block_m, block_n, block_k;
  bool only_gfx12 = false;
};

struct Sizes {
  unsigned m, n, k, lda, ldb, ldc;
  float alpha, beta;
};

void check(const Case& c, const std::string& target, int level, int layouts) {
  SCOPED_TRACE(c.kernel + " " + target + " -O" + std::to_string(level) + " layouts " +
               std::to_string(layouts));
  const int m = 3 * c.block_m, n = 2 * c.block_n, k = c.block_k * (c.block_k > 32 ? 1 : 2);
  const bool a_columns = layouts & 1, b_columns = layouts & 2, c_columns = layouts & 4;
  const int lda = (a_columns ? m : k) + 4, ldb = (b_columns ? k : n) + 2,
            ldc = (c_columns ? m : n) + 1;
  Matrix a(c.in, m, k, a_columns, lda), b(c.in, k, n, b_columns, ldb);
  Matrix start(c.out, m, n, c_columns, ldc), d(c.out, m, n, c_columns, ldc);
  Random random(static_cast<std::uint64_t>(layouts + 1));
  std::vector<int> va, vb, vc;
  const auto draw = [&](std::vector<int>& values, Matrix& matrix, int rows, int columns) {
    for (int i = 0; i < rows * columns; ++i) {
      values.push_back(static_cast<int>(random.bits() % 5) - 2);
      matrix.set(i / columns, i % columns, values.back());
    }
  };
  draw(va, a, m, k);
  draw(vb, b, k, n);
  draw(vc, start, m, n);
  Launch launch;
  launch.kernel = c.kernel;
  launch.arguments = {a.argument("a"),
                      b.argument("b"),
                      start.argument("c"),
                      d.argument("d"),
                      emulator::value(Sizes{unsigned(m), unsigned(n), unsigned(k), unsigned(lda),
                                            unsigned(ldb), unsigned(ldc), 2, -3}),
                      emulator::value(layouts)};
  launch.grid = {2, 1, 1};
  launch.workgroup = {128, 1, 1};
  expect_run(kernels("rocwmma_gemm", target, level), launch);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int kk = 0; kk < k; ++kk)
        sum += va[static_cast<std::size_t>(i * k + kk)] * vb[static_cast<std::size_t>(kk * n + j)];
      ASSERT_EQ(d.get(i, j), 2 * sum - 3 * vc[static_cast<std::size_t>(i * n + j)])
          << i << ", " << j;
    }
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"f16_f32", f16, f32, 16, 16, 16},
      {"f16_f16", f16, f16, 16, 16, 16},
      {"f16_by_f32", f16, f16, 16, 16, 16},
      {"f16_f32_32x16x48", f16, f32, 32, 16, 48},
      {"bf16_f32_16x32x16", bf16, f32, 16, 32, 16},
      {"i8_i32_16x16x32", iu8, i32, 16, 16, 32},
      {"fp8_f32", fp8, f32, 16, 16, 16, true},
  };
  return all;
}

class Rocwmma : public ::testing::TestWithParam<std::string> {};

TEST_P(Rocwmma, GemmIsRightInEveryLayout) {
  for (const Case& c : cases())
    for (int layouts = 0; layouts < 8; ++layouts)
      if (!c.only_gfx12 || is_gfx12(GetParam())) check(c, GetParam(), 3, layouts);
}

TEST_P(Rocwmma, GemmIsRightUnoptimised) {
  for (const Case& c : cases())
    for (const int layouts : {0, 7})
      if (!c.only_gfx12 || is_gfx12(GetParam())) check(c, GetParam(), 0, layouts);
}

TEST_P(Rocwmma, ElementsSayWhatTheyAre) {
  Matrix from(f16, 32, 32, false, 32), to(f16, 32, 32, false, 32);
  for (int i = 0; i < 32 * 32; ++i)
    from.set_bits(i / 32, i % 32, static_cast<std::uint32_t>(i + 1024));
  Launch launch;
  launch.kernel = "elements";
  launch.arguments = {from.argument("from"), to.argument("to")};
  expect_run(kernels("rocwmma_gemm", GetParam(), 3), launch);
  for (int i = 0; i < 32 * 32; ++i) EXPECT_EQ(to.get_bits(i / 32, i % 32), unsigned(i + 1024));
}

INSTANTIATE_TEST_SUITE_P(Targets, Rocwmma, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace rocwmma_test
}  // namespace heddle::device::testing
