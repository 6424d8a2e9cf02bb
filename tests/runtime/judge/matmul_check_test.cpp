// The judge is judged: it accepts what an honest f32 accumulation gives in any order, and rejects a
// single element that is off by little.
#include "runtime/judge/matmul_check.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "runtime/judge/product_check.h"
#include "runtime/judge/reference_product.h"
#include "runtime/judge/tally.h"

namespace heddle::runtime {
namespace matmul_check_test {

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

RC_GTEST_PROP(MatmulCheck, RejectsOneElementThatIsOffByAHalf, ()) {
  Case made = drawn();
  const auto row = *rc::gen::inRange<std::int64_t>(0, made.d.rows);
  const auto column = *rc::gen::inRange<std::int64_t>(0, made.d.columns);
  made.d.set(row, column, made.d.at(row, column) + 0.5);
  const MatmulCheck verdict = check(made);
  RC_ASSERT(verdict.wrong == 1);
  RC_ASSERT(verdict.worst_row == row);
  RC_ASSERT(verdict.worst_column == column);
}

/// Operands whose sums are exact, and the right result of `type`.
Case exact(ElementType result, std::int64_t m, std::int64_t n, std::int64_t k) {
  Case made{Matrix::random_eighths(ElementType::f16, m, k, 1),
            Matrix::random_eighths(ElementType::f16, k, n, 2), Matrix::zeros(result, m, n),
            Matrix::zeros(result, m, n)};
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t x = 0; x < k; ++x) sum += made.a.at(i, x) * made.b.at(x, j);
      made.d.set(i, j, sum);
    }
  return made;
}

// Threads judge rows as they happen to run. Of equal elements the first in the matrix is named.
TEST(MatmulCheck, TheWorstOfEqualElementsIsTheFirstWhoeverJudgesIt) {
  const auto judged = [](std::initializer_list<std::int64_t> rows) {
    Tally tally;
    for (const std::int64_t row : rows)
      tally.judge({.type = ElementType::f32,
                   .found = {1, 1},
                   .range = {0, 2},
                   .without_width = {0.5, 0.5},
                   .row = row,
                   .column = 7 - row});
    return tally;
  };
  for (const auto& [first, second] :
       {std::pair(judged({2, 5}), judged({4, 3})), std::pair(judged({3, 4}), judged({5, 2}))}) {
    Tally all = first;
    all.merge(second);
    const MatmulCheck check = all.finished();
    EXPECT_EQ(std::pair(check.worst_row, check.worst_column), std::pair(2L, 5L));
    EXPECT_EQ(std::pair(check.largest_row, check.largest_column), std::pair(2L, 5L));
  }
}

TEST(MatmulCheck, ExactSumsMustBeRightToTheLastBit) {
  for (ElementType result : {ElementType::f32, ElementType::f16, ElementType::bf16}) {
    Case made = exact(result, 9, 7, 4096);
    EXPECT_TRUE(check(made).right());
    EXPECT_EQ(check(made).exact, 63);
    made.d.bytes[made.d.bytes.size() / 2] ^= std::byte{1};
    EXPECT_EQ(check(made).wrong, 1);
  }
}

TEST(MatmulCheck, ZerosAreWrongHoweverDeepTheSum) {
  for (std::int64_t k : {1'000, 50'000, 200'000}) {
    Case made = exact(ElementType::f32, 5, 5, k);
    EXPECT_TRUE(check(made).right());
    made.d = Matrix::zeros(ElementType::f32, 5, 5);
    EXPECT_GE(check(made).wrong, 24) << "k = " << k;
  }
}

// Sums in f64 owe what f64 loses, and no more: those in f32 are wrong, and one element that is off
// by 2^-36 is.
TEST(MatmulCheck, SumsInF64AreJudgedByTheirOwnPrecision) {
  constexpr ElementType f64 = ElementType::f64;
  const Matrix a = Matrix::random(f64, 9, 300, 1), b = Matrix::random(f64, 300, 7, 2);
  const Matrix c = Matrix::random(f64, 9, 7, 3);
  Matrix d = c, in_f32 = c;
  for (std::int64_t m = 0; m < 9; ++m) {
    for (std::int64_t n = 0; n < 7; ++n) {
      double sum = 0;
      auto narrow = static_cast<float>(c.at(m, n));
      for (std::int64_t k = 300; k-- > 0;) sum += a.at(m, k) * b.at(k, n);
      for (std::int64_t k = 0; k < 300; ++k)
        narrow += static_cast<float>(a.at(m, k)) * static_cast<float>(b.at(k, n));
      d.set(m, n, sum + c.at(m, n));
      in_f32.set(m, n, narrow);
    }
  }
  EXPECT_TRUE(check_matmul(a, b, c, d).right());
  EXPECT_EQ(check_matmul(a, b, c, in_f32).wrong, 63);
  d.set(4, 3, d.at(4, 3) + 0x1p-36);
  EXPECT_EQ(check_matmul(a, b, c, d).wrong, 1);
}

// A sum of one product and what is added to it, each rounded to f64. What is allowed may be two
// neighbours, between which float64 has no middle: both are right, and the next one is not.
TEST(MatmulCheck, BothOfTwoNeighboursAreRightInF64) {
  constexpr ElementType f64 = ElementType::f64;
  constexpr std::int64_t rows = 1000;
  const Matrix a = Matrix::random(f64, rows, 1, 1), b = Matrix::random(f64, 1, 1, 2);
  const Matrix bias = Matrix::random(f64, rows, 1, 3);
  Matrix d = bias;
  Product product;
  product.problem = {rows, 1, 1, f64, f64};
  product.a = {f64, a.bytes, {}, {1}, {1}};
  product.b = {f64, b.bytes, {}, {1}, {1}};
  product.extras = {{f64, bias.bytes, {}, {1}, {1}}};
  product.epilogue.nodes = {{.step = plan::Step::input, .type = f64},
                            {.step = plan::Step::input, .type = f64, .index = 1},
                            {.step = plan::Step::add, .type = f64, .operands = {0, 1}}};
  product.sum_result = f64;
  const auto wrong = [&](auto number) {
    for (std::int64_t m = 0; m < rows; ++m)
      d.set(m, 0, number(a.at(m, 0) * b.at(0, 0), bias.at(m, 0)));
    product.d = {f64, d.bytes, {}, {1}, {1}};
    return check_product(product).wrong;
  };
  EXPECT_EQ(wrong([](double x, double y) { return x + y; }), 0);
  EXPECT_EQ(wrong([](double x, double y) {
              return std::nextafter(x, -infinity) + y;  // a sum in another order
            }),
            0);
  EXPECT_EQ(wrong([](double x, double y) { return x + y + 0x1p-50; }), rows);
}

// As wgmma sums 8-bit floats: terms are cut off below 2^-13 of the largest of their instruction.
// Those of a stage are added in f32, or all are wgmma's own; in f32 both are wrong, and so is an
// element that is off by far.
TEST(MatmulCheck, ShortSumsOfBytesAreJudgedByTheirOwnPrecision) {
  constexpr std::int64_t depth = 256, instruction_depth = 32;
  const Matrix a = Matrix::random(ElementType::fp8, 9, depth, 1);
  const Matrix b = Matrix::random(ElementType::fp8, depth, 7, 2);
  const auto short_sum = [&](std::int64_t m, std::int64_t n, std::int64_t from, std::int64_t to) {
    double sum = 0;
    for (std::int64_t k = from; k < to; k += instruction_depth) {
      std::vector<double> terms{sum};
      for (std::int64_t i = k; i < k + instruction_depth; ++i)
        terms.push_back(a.at(m, i) * b.at(i, n));
      double largest = 0;
      for (const double term : terms) largest = std::max(largest, std::abs(term));
      const double unit = std::exp2(std::floor(std::log2(largest)) - 13);
      sum = 0;
      for (const double term : terms) sum += std::trunc(term / unit) * unit;
    }
    return sum;
  };
  const auto view = [](const Matrix& matrix) {
    return MatrixView{.element = matrix.type,
                      .bytes = matrix.bytes,
                      .batch = {},
                      .row = {.step = matrix.columns},
                      .column = {.step = 1}};
  };
  const auto judged = [&](std::int64_t step, plan::F8Sums sums, double off) {
    Matrix d = Matrix::zeros(ElementType::f32, 9, 7);
    for (std::int64_t m = 0; m < 9; ++m)
      for (std::int64_t n = 0; n < 7; ++n) {
        float sum = 0;
        for (std::int64_t k = 0; k < depth; k += step)
          sum += static_cast<float>(short_sum(m, n, k, k + step));
        d.set(m, n, sum);
      }
    d.set(4, 3, d.at(4, 3) + off);
    Product product{.problem = {9, 7, depth, ElementType::fp8, ElementType::f32},
                    .a = view(a),
                    .b = view(b),
                    .d = view(d),
                    .c = {},
                    .extras = {},
                    .a_extras = {},
                    .b_extras = {},
                    .a_producer = {},
                    .b_producer = {},
                    .epilogue = {},
                    .sum_result = ElementType::f32};
    product.problem.f8 = sums;
    if (sums != plan::F8Sums::exact)
      product.problem.sums = instruction::SumError{0, 0x1p-13, 0x1p-12, instruction_depth};
    return check_product(product).wrong;
  };
  constexpr std::int64_t stage = plan::promoted_depth;
  EXPECT_EQ(judged(stage, plan::F8Sums::promoted, 0), 0);
  EXPECT_EQ(judged(depth, plan::F8Sums::fast, 0), 0);
  EXPECT_GT(judged(stage, plan::F8Sums::exact, 0), 0);
  EXPECT_EQ(judged(stage, plan::F8Sums::promoted, 3), 1);
}

// Modulo 2^64, where float64 holds 53 bits.
TEST(MatmulCheck, SumsInI64AreRightToTheLastBit) {
  constexpr ElementType i64 = ElementType::i64;
  Matrix a = Matrix::zeros(i64, 1, 2), b = Matrix::zeros(i64, 2, 1);
  const auto put = [](Matrix& matrix, std::size_t at, std::uint64_t number) {
    std::memcpy(matrix.bytes.data() + 8 * at, &number, 8);
  };
  put(a, 0, 0x7fffffffffffffff);
  put(a, 1, 3);
  put(b, 0, 5);
  put(b, 1, 0x4000000000000001);
  Matrix c = Matrix::zeros(i64, 1, 1), d = c;
  put(c, 0, 0x1000000000000001);
  const std::uint64_t right =
      0x7fffffffffffffffu * 5 + 3 * 0x4000000000000001u + 0x1000000000000001u;
  put(d, 0, right);
  EXPECT_TRUE(check_matmul(a, b, c, d).right());
  put(d, 0, right + 1);
  EXPECT_EQ(check_matmul(a, b, c, d).wrong, 1);
}

TEST(MatmulCheck, OverflowOfTheResultTypeIsRight) {
  Case made = exact(ElementType::f16, 4, 4, 64);
  made.c = Matrix::filled(ElementType::f16, 4, 4, 65504);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) made.d.set(i, j, made.d.at(i, j) + 65504);
  EXPECT_TRUE(check(made).right());
  made.d.set(0, 0, 1);
  EXPECT_EQ(check(made).wrong, 1);
}

TEST(MatmulCheck, InfinityAndNotANumberMustBeThemselves) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (double value : {infinity, -infinity, nan}) {
    Case made = exact(ElementType::f32, 3, 3, 16);
    made.c = Matrix::filled(ElementType::f32, 3, 3, value);
    EXPECT_EQ(check(made).wrong, 9) << value;  // D is finite
    EXPECT_EQ(check(made).not_finite, 0) << value;
    made.d = made.c;
    EXPECT_TRUE(check(made).right()) << value;
    EXPECT_EQ(check(made).not_finite, 9) << value;
    EXPECT_EQ(check(made).worst_allowed, 0) << "no limit is near: " << value;
  }
}

TEST(MatmulCheck, NotANumberIsWrong) {
  Case made = honest(ElementType::f16, ElementType::f32, 4, 4, 4, 1);
  made.d.set(1, 2, std::numeric_limits<double>::quiet_NaN());
  const MatmulCheck verdict = check(made);
  EXPECT_EQ(verdict.wrong, 1);
  EXPECT_EQ(verdict.worst_row, 1);
  EXPECT_EQ(verdict.worst_column, 2);
}

TEST(ReferenceProduct, EqualsThePlainLoopOnAnyShape) {
  for (std::ptrdiff_t columns : {1, 63, 64, 65, 200})
    for (std::ptrdiff_t depth : {1, 3, 64, 67}) {
      const std::ptrdiff_t rows = 3;
      const std::vector<double> a =
          Matrix::random_eighths(ElementType::f16, rows, depth, 1).values();
      const std::vector<double> b =
          Matrix::random_eighths(ElementType::f16, depth, columns, 2).values();
      std::vector<double> sums(static_cast<std::size_t>(rows * columns), 0.5);
      std::vector<double> plain = sums;
      add_product(a.data(), depth, b.data(), columns, sums.data(), columns, rows, columns, depth);
      for (std::ptrdiff_t i = 0; i < rows; ++i)
        for (std::ptrdiff_t j = 0; j < columns; ++j)
          for (std::ptrdiff_t k = 0; k < depth; ++k)
            plain[static_cast<std::size_t>(i * columns + j)] +=
                a[static_cast<std::size_t>(i * depth + k)] *
                b[static_cast<std::size_t>(k * columns + j)];
      EXPECT_EQ(sums, plain) << columns << " " << depth;
    }
}

TEST(MatmulCheck, TransposedOperandIsWrong) {
  Case made = honest(ElementType::f16, ElementType::f32, 16, 16, 16, 1);
  Matrix transposed = made.a;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) transposed.set(i, j, made.a.at(j, i));
  made.a = transposed;
  EXPECT_GT(check(made).wrong, 200);
}

}  // namespace matmul_check_test
}  // namespace heddle::runtime
