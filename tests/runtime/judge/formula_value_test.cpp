// Formulas: their values against loops written here, and the allowed error against sums of f32 in
// random order, which must be within it, and against matmul_check's.
#include "runtime/judge/formula_value.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "runtime/judge/judgement.h"
#include "runtime/launch/memory.h"

namespace heddle::runtime {
namespace formula_value_test {

struct Evaluated {
  LaunchText launch;
  std::map<std::string, ElementValues> values;
  FormulaValue value;

  explicit Evaluated(const std::string& declarations, const std::string& result,
                     const std::string& formula) {
    auto parsed =
        parse_launch(declarations + "C = " + result + "\narguments\nexpect C = " + formula + "\n");
    EXPECT_TRUE(parsed) << parsed.error().message;
    launch = *std::move(parsed);
    const LaunchMemory memory = LaunchMemory::fill(launch, "").value();
    for (const Tensor& tensor : launch.tensors) values[tensor.name] = memory.values(tensor);
    value = evaluate(launch, std::get<Expression>(launch.launches[0].expectations[0].reference),
                     [&](const Tensor& tensor) { return values.at(tensor.name); });
  }
};

const char* matrices =
    "A = f32[5x7] random\nB = f32[7x3] random\nbias = f32[3] random\n"
    "alpha = f32 0.5\n";

TEST(FormulaValue, AgainstLoops) {
  const Evaluated e(matrices, "f32[3x5]", "relu(alpha * (A @ B) + bias)' - 2");
  const auto &a = e.values.at("A").values, &b = e.values.at("B").values,
             &bias = e.values.at("bias").values;
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 7; ++k) sum += a[i * 7 + k] * b[k * 3 + j];
      EXPECT_NEAR(e.value.values[j * 5 + i], std::max(0.0, 0.5 * sum + bias[j]) - 2, 1e-14);
    }
}

TEST(FormulaValue, Functions) {
  const std::string x = "X = f32[2x2] iota\n";
  const auto at1 = [&](const std::string& formula) {
    return Evaluated(x, "f32[2x2]", formula).value.values[1];
  };
  EXPECT_DOUBLE_EQ(at1("gelu(X)"), 0.5 * (1 + std::erf(1 / std::sqrt(2.0))));
  EXPECT_DOUBLE_EQ(at1("silu(X)"), 1 / (1 + std::exp(-1.0)));
  EXPECT_DOUBLE_EQ(at1("sigmoid(-X)"), 1 / (1 + std::exp(1.0)));
  EXPECT_DOUBLE_EQ(at1("tanh(X)"), std::tanh(1.0));
  EXPECT_DOUBLE_EQ(at1("exp(X) * 2"), 2 * std::exp(1.0));
  EXPECT_DOUBLE_EQ(at1("sqrt(X + X)"), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(at1("abs(-X)"), 1);
  EXPECT_DOUBLE_EQ(at1("softmax(X)"), 1 / (1 + std::exp(-1.0)));
}

/// f32 sums of the products in random orders stay within what is allowed, and half of it would not
/// do for sums that are this unlucky in depth 1.
TEST(FormulaValue, SumsOfF32AreWithinTheBound) {
  std::mt19937 random(7);
  const Evaluated e("A = f16[8x300] random\nB = f16[300x8] random\nD = f32[8x8] random\n",
                    "f32[8x8]", "A @ B + D");
  const auto &a = e.values.at("A").values, &b = e.values.at("B").values,
             &d = e.values.at("D").values;
  std::vector<std::size_t> order(300);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int round = 0; round < 20; ++round) {
    std::ranges::shuffle(order, random);
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 0; j < 8; ++j) {
        auto sum = static_cast<float>(d[i * 8 + j]);
        for (const std::size_t k : order)
          sum += static_cast<float>(a[i * 300 + k]) * static_cast<float>(b[k * 8 + j]);
        const std::size_t at = i * 8 + j;
        EXPECT_TRUE(is_right(NumberType::f32, static_cast<double>(sum), e.value.values[at],
                             e.value.allowed(at), {}));
        EXPECT_FALSE(is_right(NumberType::f32, static_cast<double>(sum) + 0.01, e.value.values[at],
                              e.value.allowed(at), {}))
            << "one product that is missing does not hide in it";
      }
  }
}

/// A product that is missing shows as long as the limit says so, and the worst case is kept where
/// nothing makes the roundings independent.
TEST(FormulaValue, WhatTheLimitHides) {
  const auto product = [](const std::string& depth, const std::string& initial) {
    return Evaluated("A = f16[2x" + depth + "] " + initial + "\nB = f16[" + depth + "x2] " +
                         initial + "\n",
                     "f32[2x2]", "A @ B")
        .value;
  };
  const FormulaValue deep = product("8192", "random");
  EXPECT_FALSE(deep.hides_a_term());
  EXPECT_LT(deep.allowed(0), deep.magnitudes[0] / 8192) << "less than the mean product";
  EXPECT_DOUBLE_EQ(deep.terms, 6 * std::sqrt(8192.0));
  EXPECT_TRUE(product("65536", "random").hides_a_term());
  EXPECT_FALSE(product("65536", "exact").hides_a_term());
  const FormulaValue same = product("8192", "0.3");
  EXPECT_EQ(same.terms, 8192) << "equal numbers may all be rounded the same way";
  EXPECT_TRUE(same.hides_a_term());
}

/// Sums in f16, in random orders, stay within what a file allows that says so, and not within what
/// sums in f32 owe.
TEST(FormulaValue, SumsOfF16AreWithinTheirBound) {
  std::mt19937 random(7);
  const Evaluated e("A = f16[8x100] random\nB = f16[100x8] random\n", "f16[8x8]", "A @ B");
  const auto &a = e.values.at("A").values, &b = e.values.at("B").values;
  std::vector<std::size_t> order(100);
  std::iota(order.begin(), order.end(), std::size_t{0});
  int beyond_f32 = 0;
  for (int round = 0; round < 20; ++round) {
    std::ranges::shuffle(order, random);
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 0; j < 8; ++j) {
        _Float16 sum = 0;
        for (const std::size_t k : order)
          sum = static_cast<_Float16>(static_cast<float>(sum) +
                                      static_cast<float>(a[i * 100 + k] * b[k * 8 + j]));
        const std::size_t at = i * 8 + j;
        const auto value = static_cast<double>(sum);
        EXPECT_TRUE(is_right(NumberType::f16, value, e.value.values[at],
                             e.value.allowed(at, NumberType::f16), {}));
        EXPECT_FALSE(is_right(NumberType::f16, value + 2, e.value.values[at],
                              e.value.allowed(at, NumberType::f16), {}));
        beyond_f32 +=
            !is_right(NumberType::f16, value, e.value.values[at], e.value.allowed(at), {});
      }
  }
  EXPECT_GT(beyond_f32, 100);
}

/// Numbers below 2^-14 are multiples of 2^-24, so that one rounding may be 2^-25.
TEST(FormulaValue, SubnormalSumsOfF16) {
  const Evaluated e("A = f16[1x4] random\n", "f16[1x4]", "0.0001 * (0.0001 * A + A * 0.0001)");
  EXPECT_GE(e.value.allowed(0, NumberType::f16), 0x1p-25);
  EXPECT_LT(e.value.allowed(0, NumberType::f16), 0x1p-20);
  EXPECT_LT(e.value.allowed(0), 0x1p-40);
}

TEST(FormulaValue, DoublesOweTheirOwnRounding) {
  const Evaluated e("A = f64[1x2] random\n", "f64[1x2]", "A * A + 1");
  EXPECT_GT(e.value.allowed(0, NumberType::f64), 0);
  EXPECT_LT(e.value.allowed(0, NumberType::f64), 1e-14);
}

/// Against 64-bit arithmetic written here.
TEST(FormulaValue, IntegersWrapAt64Bits) {
  const Evaluated e("A = i64[1x3] 4611686018427387905\nB = u32[3x1] 4294967295\n", "i64[1x1]",
                    "A @ B * 3 - 7");
  const std::uint64_t product = std::uint64_t{4611686018427387905u} * 4294967295u * 3;
  EXPECT_EQ(e.value.integers, (std::vector<std::uint64_t>{product * 3 - 7}));
  EXPECT_TRUE(Evaluated("A = i32[1x3] 5\n", "f32[1x3]", "0.5 * A").value.integers.empty());
}

TEST(FormulaValue, ExactSumsAllowNothing) {
  const Evaluated exact("A = f16[8x64] exact\nB = f16[64x8] exact\n", "f32[8x8]", "A @ B");
  const Evaluated integers("A = i8[8x64] random\nB = i8[64x8] random\n", "i32[8x8]", "A @ B");
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(exact.value.allowed(i), 0);
    EXPECT_EQ(integers.value.values[i], std::round(integers.value.values[i]));
  }
}

// A few elements of a formula are allowed the same errors as in the whole, those of operands too.
TEST(FormulaValue, SomeElementsHaveTheErrorsOfTheWhole) {
  const Evaluated e(matrices, "f32[5x3]", "A @ B + exp(exp(bias) + exp(alpha * bias))");
  const auto& formula = std::get<Expression>(e.launch.launches[0].expectations[0].reference);
  const AroundProduct around(e.launch, formula,
                             [&](const Tensor& tensor) { return e.values.at(tensor.name); });
  const FormulaValue product = matrix_product(around.left(), around.right());
  const std::vector<std::size_t> elements{14, 1, 9, 2};
  FormulaValue few = product;
  few.size = {1, static_cast<std::int64_t>(elements.size())};
  for (std::vector<double>* numbers :
       {&few.values, &few.magnitudes, &few.inherited, &few.demands}) {
    if (numbers->empty()) continue;
    const std::vector<double> all = *numbers;
    numbers->clear();
    for (const std::size_t element : elements) numbers->push_back(all[element]);
  }
  const FormulaValue found = around.with(few, elements);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    EXPECT_EQ(found.values[i], e.value.values[elements[i]]);
    EXPECT_EQ(found.allowed(i, NumberType::f32), e.value.allowed(elements[i], NumberType::f32));
  }
}

TEST(Judgement, TypesTolerancesAndWhatIsUnwritten) {
  const Evaluated e("A = f32[2x2] iota\n", "f32[2x2]", "A");
  const Tensor& c = *e.launch.find_tensor("C");
  const std::vector<bool> written(4, false);
  EXPECT_TRUE(judge(c, std::vector<double>{0, 1, 2, 3}, written, e.value, {}).right());
  const Judgement wrong = judge(c, std::vector<double>{0, 1, 2.5, 3}, written, e.value, {});
  EXPECT_EQ(wrong.wrong, 1);
  EXPECT_EQ(wrong.worst_row, 1);
  EXPECT_EQ(wrong.worst_column, 0);
  EXPECT_TRUE(judge(c, std::vector<double>{0, 1, 2.5, 3}, written, e.value, 0.2).right())
      << "0.2 * (1 + 2) is allowed";
  const Judgement missing = judge(c, std::vector<double>{0, 1, std::nan(""), 3},
                                  {false, false, true, false}, e.value, {});
  EXPECT_EQ(missing.unwritten, 1);
  EXPECT_EQ(missing.wrong, 0);
  EXPECT_FALSE(missing.right());
  const Evaluated bytes("A = i8[1x2] -1\n", "i8[1x2]", "A * 200");
  EXPECT_TRUE(judge(*bytes.launch.find_tensor("C"), std::vector<double>{56, 56}, {false, false},
                    bytes.value, {})
                  .right())
      << "integers wrap";
  const Evaluated ones("A = i8[1x2] -1\n", "i8[1x2]", "A");
  EXPECT_TRUE(judge(*ones.launch.find_tensor("C"), std::vector<double>{-1, -1}, {true, true},
                    ones.value, {})
                  .right())
      << "all ones may be written";
}

}  // namespace formula_value_test
}  // namespace heddle::runtime
