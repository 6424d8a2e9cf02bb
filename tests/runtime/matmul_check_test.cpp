// The judge is judged: it accepts what an honest f32 accumulation gives in any order, and rejects a
// single element that is off by little.
#include "runtime/matmul_check.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

namespace heddle::runtime {
namespace {

using instruction::ElementType;

struct Case {
  Matrix a, b, c, d;
};

/// D = C + A * B with the k's in `order`, every step rounded to f32.
Case honest(ElementType input, ElementType result, std::int64_t m, std::int64_t n, std::int64_t k,
            std::uint64_t seed) {
  Case made{Matrix::random(input, m, k, seed), Matrix::random(input, k, n, seed + 1),
            Matrix::random(result, m, n, seed + 2), Matrix::zeros(result, m, n)};
  std::vector<std::int64_t> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      auto sum = static_cast<float>(made.c.at(i, j));
      for (std::int64_t x : order)
        sum += static_cast<float>(made.a.at(i, x)) * static_cast<float>(made.b.at(x, j));
      made.d.set(i, j, sum);
    }
  return made;
}

MatmulCheck check(const Case& made) { return check_matmul(made.a, made.b, made.c, made.d); }

Case drawn() {
  const auto size = [] { return *rc::gen::inRange<std::int64_t>(1, 40); };
  return honest(*rc::gen::element(ElementType::f16, ElementType::bf16),
                *rc::gen::element(ElementType::f32, ElementType::f16, ElementType::bf16), size(),
                size(), size(), *rc::gen::arbitrary<std::uint64_t>());
}

RC_GTEST_PROP(MatmulCheck, AcceptsAnyOrderOfSummation, ()) {
  const Case made = drawn();
  const MatmulCheck verdict = check(made);
  RC_ASSERT(verdict.right());
  RC_ASSERT(verdict.elements == made.d.rows * made.d.columns);
}

RC_GTEST_PROP(MatmulCheck, RejectsOneElementThatIsOffByAQuarter, ()) {
  Case made = drawn();
  const auto row = *rc::gen::inRange<std::int64_t>(0, made.d.rows);
  const auto column = *rc::gen::inRange<std::int64_t>(0, made.d.columns);
  made.d.set(row, column, made.d.at(row, column) + 0.25);
  const MatmulCheck verdict = check(made);
  RC_ASSERT(verdict.wrong == 1);
  RC_ASSERT(verdict.worst_row == row);
  RC_ASSERT(verdict.worst_column == column);
}

TEST(MatmulCheck, NotANumberIsWrong) {
  Case made = honest(ElementType::f16, ElementType::f32, 4, 4, 4, 1);
  made.d.set(1, 2, std::numeric_limits<double>::quiet_NaN());
  const MatmulCheck verdict = check(made);
  EXPECT_EQ(verdict.wrong, 1);
  EXPECT_EQ(verdict.worst_row, 1);
  EXPECT_EQ(verdict.worst_column, 2);
}

TEST(MatmulCheck, TransposedOperandIsWrong) {
  Case made = honest(ElementType::f16, ElementType::f32, 16, 16, 16, 1);
  Matrix transposed = made.a;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) transposed.set(i, j, made.a.at(j, i));
  made.a = transposed;
  EXPECT_GT(check(made).wrong, 200);
}

}  // namespace
}  // namespace heddle::runtime
