// Every product that heddle/device offers, on the emulator: all types and signednesses, every order
// of A, B and of C and D, whole tiles and tiles cut off by bounds, against sums of integers.
#include "heddle/device/multiply_accumulate.h"

#include <array>

#include "kernels.h"

namespace heddle::device::testing {
namespace multiply_accumulate_test {

using enum instruction::ElementType;

struct Case {
  std::string name;  // of the kernel, without multiply_
  instruction::ElementType a, b, d, out;
  int a_least = -2, b_least = -2;  // unsigned types have 0
  bool only_gfx12 = false;
  int depth = 16;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"f32_f16", f16, f16, f32, f32},
      {"f32_f16_to_f16", f16, f16, f32, f16},
      {"f32_bf16", bf16, bf16, f32, f32},
      {"f32_bf16_to_bf16", bf16, bf16, f32, bf16},
      {"f16_f16", f16, f16, f16, f16},
      {"bf16_bf16", bf16, bf16, bf16, bf16},
      {"i32_i8_i8", iu8, iu8, i32, i32},
      {"i32_i8_u8", iu8, iu8, i32, i32, -2, 0},
      {"i32_u8_i8", iu8, iu8, i32, i32, 0, -2},
      {"i32_u8_u8", iu8, iu8, i32, i32, 0, 0},
      {"i32_i4_u4", iu4, iu4, i32, i32, -2, 0},
      {"i32_u4_i4", iu4, iu4, i32, i32, 0, -2},
      {"i32_i4_i4_k32", iu4, iu4, i32, i32, -2, -2, true, 32},
      {"f32_fp8_fp8", fp8, fp8, f32, f32, -2, -2, true},
      {"f32_fp8_bf8", fp8, bf8, f32, f32, -2, -2, true},
      {"f32_bf8_fp8", bf8, fp8, f32, f32, -2, -2, true},
      {"f32_bf8_bf8", bf8, bf8, f32, f32, -2, -2, true},
  };
  return all;
}

struct Product {
  int m, n, k, lda, ldb, ldc, flags;
};

// Integers in [least, least + 4], so that sums over k <= 48 are below 256 and exact in bf16 too; an
// unsigned type also gets values that would be negative in the signed one.
std::vector<int> random_integers(int count, int least, instruction::ElementType type,
                                 Random& random) {
  std::vector<int> values(static_cast<std::size_t>(count));
  for (int& x : values) x = least + static_cast<int>(random.bits() % 5);
  if (least == 0)
    for (int& x : values)
      if (random.bits() % 4 == 0) x += 1 << (instruction::bits(type) - 1);
  return values;
}

void check(const Case& c, const std::string& target, int level, Product p) {
  SCOPED_TRACE(c.name + " " + target + " -O" + std::to_string(level) + " " + std::to_string(p.m) +
               "x" + std::to_string(p.n) + "x" + std::to_string(p.k) + " flags " +
               std::to_string(p.flags));
  const bool a_columns = p.flags & 1, b_columns = p.flags & 2, c_columns = p.flags & 4;
  Random random(static_cast<std::uint64_t>(p.m * 7919 + p.n * 101 + p.k * 11 + p.flags));
  const auto even = [](int x) { return (x + 1) / 2 * 2; };
  p.lda = even((a_columns ? p.m : p.k) + 2 * static_cast<int>(random.bits() % 3));
  p.ldb = even((b_columns ? p.k : p.n) + 2 * static_cast<int>(random.bits() % 3));
  p.ldc = (c_columns ? p.m : p.n) + static_cast<int>(random.bits() % 3);
  Matrix a(c.a, p.m, p.k, a_columns, p.lda), b(c.b, p.k, p.n, b_columns, p.ldb);
  Matrix start(c.d, p.m, p.n, c_columns, p.ldc), out(c.out, p.m, p.n, c_columns, p.ldc);
  const Matrix before = out;
  const std::vector<int> va = random_integers(p.m * p.k, c.a_least, c.a, random);
  const std::vector<int> vb = random_integers(p.k * p.n, c.b_least, c.b, random);
  const std::vector<int> vc = random_integers(p.m * p.n, -2, c.d, random);
  for (int i = 0; i < p.m; ++i)
    for (int k = 0; k < p.k; ++k) a.set(i, k, va[static_cast<std::size_t>(i * p.k + k)]);
  for (int k = 0; k < p.k; ++k)
    for (int j = 0; j < p.n; ++j) b.set(k, j, vb[static_cast<std::size_t>(k * p.n + j)]);
  for (int i = 0; i < p.m; ++i)
    for (int j = 0; j < p.n; ++j) start.set(i, j, vc[static_cast<std::size_t>(i * p.n + j)]);
  Launch launch;
  launch.kernel = "multiply_" + c.name;
  launch.arguments = {a.argument("a"), b.argument("b"), start.argument("c"), out.argument("d"),
                      emulator::value(p)};
  expect_run(kernels("fragments", target, level), launch);
  int wrong = 0;
  for (int i = 0; i < p.m; ++i)
    for (int j = 0; j < p.n; ++j) {
      int expected = vc[static_cast<std::size_t>(i * p.n + j)];
      for (int k = 0; k < p.k; ++k)
        expected +=
            va[static_cast<std::size_t>(i * p.k + k)] * vb[static_cast<std::size_t>(k * p.n + j)];
      if (out.get(i, j) != expected && wrong++ < 3)
        ADD_FAILURE() << "D[" << i << "][" << j << "] is " << out.get(i, j) << ", expected "
                      << expected;
    }
  EXPECT_EQ(wrong, 0);
}

class MultiplyAccumulate : public ::testing::TestWithParam<std::string> {};

TEST_P(MultiplyAccumulate, IsTheProductInEveryOrder) {
  int ran = 0;
  for (const Case& c : cases())
    for (int order = 0; order < 8; ++order) {
      if (c.only_gfx12 && !is_gfx12(GetParam())) continue;
      check(c, GetParam(), 3, {16, 16, c.depth, 0, 0, 0, order});
      check(c, GetParam(), 3, {16, 16, 48 / c.depth * c.depth, 0, 0, 0, order});
      ++ran;
    }
  EXPECT_EQ(ran, 8 * (is_gfx12(GetParam()) ? 17 : 12));
}

TEST_P(MultiplyAccumulate, IsTheProductInsideBounds) {
  for (const Case& c : cases())
    for (int order = 0; order < 8; ++order)
      for (const auto& [m, n, k] :
           {std::array{1, 1, 1}, {16, 16, 16}, {15, 3, 17}, {7, 16, 40}, {16, 9, 31}, {2, 15, 5}}) {
        if (c.only_gfx12 && !is_gfx12(GetParam())) continue;
        check(c, GetParam(), 3, {m, n, k, 0, 0, 0, order | 8});
      }
}

TEST_P(MultiplyAccumulate, IsTheProductUnoptimised) {
  for (const Case& c : cases())
    for (int order : {0, 3, 5, 10, 15}) {
      if (c.only_gfx12 && !is_gfx12(GetParam())) continue;
      check(c, GetParam(), 0, {16, 16, c.depth, 0, 0, 0, order});
    }
}

// Both accumulators of a pair, each with its own rows of A.
TEST_P(MultiplyAccumulate, KeepsBothAccumulatorsOfAPair) {
  for (const auto& [name, type] : {std::pair{"pair_f16", f16}, {"pair_bf16", bf16}})
    for (int level : {0, 3}) {
      constexpr int k = 48;
      SCOPED_TRACE(name);
      Random random(7);
      Matrix a(type, 32, k, false, k), b(type, k, 16, false, 16);
      Matrix c(type, 32, 16, false, 16), d(type, 32, 16, false, 16);
      const auto va = random_integers(32 * k, -2, type, random);
      const auto vb = random_integers(k * 16, -2, type, random);
      for (int i = 0; i < 32 * k; ++i) a.set(i / k, i % k, va[static_cast<std::size_t>(i)]);
      for (int i = 0; i < 16 * k; ++i) b.set(i / 16, i % 16, vb[static_cast<std::size_t>(i)]);
      for (int i = 0; i < 512; ++i) c.set(i / 16, i % 16, i % 5 - 2);
      Launch launch;
      launch.kernel = name;
      launch.arguments = {a.argument("a"), b.argument("b"), c.argument("c"), d.argument("d"),
                          emulator::value(k)};
      const RunReport report = expect_run(kernels("fragments", GetParam(), level), launch);
      EXPECT_EQ(report.wmma, 6u);
      for (int i = 0; i < 32; ++i)
        for (int j = 0; j < 16; ++j) {
          int expected = (i * 16 + j) % 5 - 2;
          for (int kk = 0; kk < k; ++kk)
            expected += va[static_cast<std::size_t>(i * k + kk)] *
                        vb[static_cast<std::size_t>(kk * 16 + j)];
          ASSERT_EQ(d.get(i, j), expected) << i << ", " << j;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, MultiplyAccumulate, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace multiply_accumulate_test
}  // namespace heddle::device::testing
