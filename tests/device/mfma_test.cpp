// Every MFMA that heddle/device offers, on the emulator: whole tiles and tiles cut off by bounds,
// every order of A, B and of C and D, against sums of integers.
#include <array>

#include "kernels.h"

namespace heddle::device::testing {
namespace mfma_test {

using enum instruction::ElementType;

struct Case {
  std::string name;  // of the kernel, without multiply_
  instruction::ElementType a, b, d;
  int depth, side;
};

std::vector<Case> cases_of(const std::string& target) {
  std::vector<Case> all{
      {"f32_16x16x16_f16", f16, f16, f32, 16, 16},    {"f32_32x32x8_f16", f16, f16, f32, 8, 32},
      {"f32_16x16x16_bf16", bf16, bf16, f32, 16, 16}, {"f32_32x32x8_bf16", bf16, bf16, f32, 8, 32},
      {"f32_16x16x4_f32", f32, f32, f32, 4, 16},      {"f32_32x32x2_f32", f32, f32, f32, 2, 32}};
  const auto add = [&](std::initializer_list<Case> more) { all.insert(all.end(), more); };
  if (target == "gfx90a") {
    add({{"i32_16x16x16_i8", iu8, iu8, i32, 16, 16}, {"i32_32x32x8_i8", iu8, iu8, i32, 8, 32}});
    return all;
  }
  add({{"i32_16x16x32_i8", iu8, iu8, i32, 32, 16}, {"i32_32x32x16_i8", iu8, iu8, i32, 16, 32}});
  // The encodings are those of the processor.
  const auto four = target == "gfx942" ? fp8_fnuz : fp8, five = target == "gfx942" ? bf8_fnuz : bf8;
  for (const auto& [shape, depth, side] :
       {std::tuple{"16x16x32", 32, 16}, std::tuple{"32x32x16", 16, 32}})
    for (const auto& [types, a, b] : {std::tuple{"fp8_fp8", four, four},
                                      {"fp8_bf8", four, five},
                                      {"bf8_fp8", five, four},
                                      {"bf8_bf8", five, five}})
      add({{std::string("f32_") + shape + "_" + types, a, b, f32, depth, side}});
  if (target == "gfx942") return all;
  add({{"f32_16x16x32_f16", f16, f16, f32, 32, 16},
       {"f32_32x32x16_f16", f16, f16, f32, 16, 32},
       {"f32_16x16x32_bf16", bf16, bf16, f32, 32, 16},
       {"f32_32x32x16_bf16", bf16, bf16, f32, 16, 32},
       {"i32_16x16x64_i8", iu8, iu8, i32, 64, 16},
       {"i32_32x32x32_i8", iu8, iu8, i32, 32, 32},
       {"f32_16x16x128_fp8_bf8", fp8, bf8, f32, 128, 16},
       {"f32_32x32x64_bf8_fp8", bf8, fp8, f32, 64, 32}});
  return all;
}

struct Product {
  int m, n, k, lda, ldb, ldc, flags;
};

void check(const Case& c, const std::string& target, Product p) {
  SCOPED_TRACE(c.name + " " + target + " " + std::to_string(p.m) + "x" + std::to_string(p.n) + "x" +
               std::to_string(p.k) + " flags " + std::to_string(p.flags));
  const bool a_columns = p.flags & 1, b_columns = p.flags & 2, c_columns = p.flags & 4;
  Random random(static_cast<std::uint64_t>(p.m * 7919 + p.n * 101 + p.k * 11 + p.flags));
  p.lda = (a_columns ? p.m : p.k) + static_cast<int>(random.bits() % 3);
  p.ldb = (b_columns ? p.k : p.n) + static_cast<int>(random.bits() % 3);
  p.ldc = (c_columns ? p.m : p.n) + static_cast<int>(random.bits() % 3);
  Matrix a(c.a, p.m, p.k, a_columns, p.lda), b(c.b, p.k, p.n, b_columns, p.ldb);
  Matrix start(c.d, p.m, p.n, c_columns, p.ldc), out(c.d, p.m, p.n, c_columns, p.ldc);
  const auto draw = [&](int count) {
    std::vector<int> values(static_cast<std::size_t>(count));
    for (int& x : values) x = static_cast<int>(random.bits() % 5) - 2;
    return values;
  };
  const std::vector<int> va = draw(p.m * p.k), vb = draw(p.k * p.n), vc = draw(p.m * p.n);
  const auto at = [](int row, int columns, int column) {
    return static_cast<std::size_t>(row * columns + column);
  };
  for (int i = 0; i < p.m; ++i)
    for (int k = 0; k < p.k; ++k) a.set(i, k, va[at(i, p.k, k)]);
  for (int k = 0; k < p.k; ++k)
    for (int j = 0; j < p.n; ++j) b.set(k, j, vb[at(k, p.n, j)]);
  for (int i = 0; i < p.m; ++i)
    for (int j = 0; j < p.n; ++j) start.set(i, j, vc[at(i, p.n, j)]);
  Launch launch;
  launch.kernel = "multiply_" + c.name;
  launch.workgroup = {64, 1, 1};
  launch.arguments = {a.argument("a"), b.argument("b"), start.argument("c"), out.argument("d"),
                      emulator::value(p)};
  const RunReport report = expect_run(kernels("mfma", target, 3), launch);
  EXPECT_EQ(report.wmma, static_cast<std::uint64_t>((p.k + c.depth - 1) / c.depth));
  int wrong = 0;
  for (int i = 0; i < p.m; ++i)
    for (int j = 0; j < p.n; ++j) {
      int expected = vc[at(i, p.n, j)];
      for (int k = 0; k < p.k; ++k) expected += va[at(i, p.k, k)] * vb[at(k, p.n, j)];
      if (out.get(i, j) != expected && wrong++ < 3)
        ADD_FAILURE() << "D[" << i << "][" << j << "] is " << out.get(i, j) << ", expected "
                      << expected;
    }
  EXPECT_EQ(wrong, 0);
}

class Mfma : public ::testing::TestWithParam<std::string> {};

TEST_P(Mfma, IsTheProductInEveryOrder) {
  const std::vector<Case> cases = cases_of(GetParam());
  EXPECT_EQ(cases.size(), GetParam() == "gfx90a" ? 8u : GetParam() == "gfx942" ? 16u : 24u);
  for (const Case& c : cases)
    for (int order = 0; order < 8; ++order)
      check(c, GetParam(), {c.side, c.side, 2 * c.depth, 0, 0, 0, order});
}

TEST_P(Mfma, IsTheProductInsideBounds) {
  for (const Case& c : cases_of(GetParam()))
    for (const auto& [m, n, k] : {std::array{1, 1, 1}, {15, 3, 17}, {7, 16, 40}, {16, 9, 31}})
      for (int order : {0, 3, 5}) check(c, GetParam(), {m, n, k, 0, 0, 0, order});
}

INSTANTIATE_TEST_SUITE_P(Targets, Mfma, ::testing::Values("gfx90a", "gfx942", "gfx950"),
                         [](const auto& info) { return info.param; });

}  // namespace mfma_test
}  // namespace heddle::device::testing
