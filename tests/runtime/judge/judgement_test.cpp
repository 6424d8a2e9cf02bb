// An adversary of the judge of formulas: chains of products, sums and functions, computed in f32 as
// a kernel might. None is called wrong, and none with one wrong element, one wrong sign, one zero,
// or with nothing written at all is called right.
#include "runtime/judge/judgement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

#include "runtime/launch/memory.h"

namespace heddle::runtime {
namespace judgement_test {

using Floats = std::vector<float>;

/// A formula of square matrices, and what a kernel in f32 makes of it, from the last k to the first
/// or the other way.
struct Case {
  std::string formula;
  Floats values;
};

constexpr std::size_t side = 24;

Floats product(const Floats& a, const Floats& b, bool backwards) {
  Floats result(side * side);
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j)
      for (std::size_t x = 0; x < side; ++x) {
        const std::size_t k = backwards ? side - 1 - x : x;
        result[i * side + j] += a[i * side + k] * b[k * side + j];
      }
  return result;
}

Case drawn(const std::map<std::string, Floats>& arrays, int depth) {
  const auto inner = [&] { return drawn(arrays, depth - 1); };
  const auto each = [](Case one, auto function) {
    for (float& x : one.values) x = function(x);
    return one;
  };
  switch (depth == 0 ? 0 : *rc::gen::inRange(0, 7)) {
    case 0: {
      const std::string name = *rc::gen::element<std::string>("A", "B");
      return {name, arrays.at(name)};
    }
    case 1:
    case 2:
    case 3: {
      const Case left = inner(), right = inner();
      return {"(" + left.formula + " @ " + right.formula + ")",
              product(left.values, right.values, *rc::gen::arbitrary<bool>())};
    }
    case 4: {
      Case left = inner();
      const Case right = inner();
      for (std::size_t i = 0; i < left.values.size(); ++i) left.values[i] += right.values[i];
      return {"(" + left.formula + " + " + right.formula + ")", left.values};
    }
    case 5: {
      Case one = each(inner(), [](float x) { return x > 0 ? x : 0; });
      return {"relu(" + one.formula + ")", one.values};
    }
    default: {
      Case one = each(inner(), [](float x) { return std::tanh(x); });
      return {"tanh(" + one.formula + ")", one.values};
    }
  }
}

struct Judge {
  LaunchText launch;
  std::map<std::string, ElementValues> values;
  FormulaValue reference;

  explicit Judge(const std::string& text) {
    auto parsed = parse_launch(text);
    EXPECT_TRUE(parsed) << text << parsed.error().message;
    launch = *std::move(parsed);
    const LaunchMemory memory = LaunchMemory::fill(launch, "").value();
    for (const Tensor& tensor : launch.tensors) values[tensor.name] = memory.values(tensor);
    reference = evaluate(launch, std::get<Expression>(launch.launches[0].expectations[0].reference),
                         [&](const Tensor& tensor) { return values.at(tensor.name); });
  }

  Judgement of(const std::vector<double>& result) const {
    const Expectation& expectation = launch.launches[0].expectations[0];
    return judge(*launch.find_tensor("C"), result, std::vector<bool>(result.size()), reference,
                 expectation.tolerance, expectation.sums);
  }
};

std::string size_text() { return std::to_string(side) + "x" + std::to_string(side); }

std::string declarations(const std::string& initial) {
  return "A = f32[" + size_text() + "] " + initial + "\nB = f32[" + size_text() + "] " + initial +
         "\nC = f32[" + size_text() + "] zero\narguments\nexpect C = ";
}

RC_GTEST_PROP(Judgement, NoRightResultIsWrongAndNoWrongOneRight, ()) {
  const std::string start = declarations(*rc::gen::element<std::string>("random", "exact"));
  const Judge arrays(start + "A");
  std::map<std::string, Floats> floats;
  for (const std::string name : {"A", "B"}) {
    const std::vector<double>& from = arrays.values.at(name).values;
    floats[name] = Floats(from.begin(), from.end());
  }
  const Case made = drawn(floats, *rc::gen::inRange(1, 5));
  RC_LOG() << made.formula << "\n";
  const Judge judge(start + made.formula);
  const std::vector<double> right(made.values.begin(), made.values.end());
  RC_ASSERT(judge.of(right).wrong == 0);

  std::size_t largest = 0;
  for (std::size_t i = 0; i < right.size(); ++i)
    if (std::abs(right[i]) > std::abs(right[largest])) largest = i;
  const double value = right[largest];
  RC_PRE(value != 0 && std::isfinite(value));
  std::vector<double> wrong = right;
  wrong[largest] = *rc::gen::element(0.0, -value, 1.5 * value, std::nan(""));
  RC_ASSERT(!judge.of(wrong).right());
  RC_ASSERT(!judge.of(std::vector<double>(right.size())).right());
}

/// What rounding errors become in the next product is followed: not by multiplying the largest
/// numbers that each product could have had.
TEST(Judgement, AChainOfProductsHasALimitThatTells) {
  const Judge chain(
      "A = f32[512x512] random\nC = f32[512x512] zero\narguments\nexpect C = A @ A @ A @ A @ A\n");
  const Judgement nothing = chain.of(std::vector<double>(512 * 512));
  EXPECT_FALSE(nothing.right());
  EXPECT_GT(nothing.wrong, 512 * 500);
  EXPECT_LT(nothing.worst_allowed, 50) << "of numbers up to 80000";
}

/// Where the limit is as large as the elements differ, a constant would be right.
TEST(Judgement, ALimitThatSaysNothingIsNotRight) {
  const std::string text =
      "A = f16[4x8192] random\nB = f16[8192x4] random\nC = f16[4x4] zero\narguments\n"
      "expect C = relu(A @ B @ (B' @ A')) sums f16\n";
  const Judge vacuous(text);
  const Judgement nothing = vacuous.of(std::vector<double>(16));
  EXPECT_FALSE(nothing.right());
  const Judgement exact = vacuous.of(vacuous.reference.values);
  EXPECT_EQ(exact.wrong, 0);
  EXPECT_TRUE(exact.is_not_judged());
  EXPECT_GT(exact.widest_limit, exact.spread);

  // A tolerance that somebody asks for, too.
  const Judge tolerant(
      "A = f32[4x4] random\nC = f32[4x4] zero\narguments\nexpect C = A tolerance 2\n");
  EXPECT_TRUE(tolerant.of(std::vector<double>(16)).is_not_judged());
}

/// Numbers that are all the same are judged by their size, and what is not finite by itself.
TEST(Judgement, EqualAndInfiniteElements) {
  const Judge same(
      "A = f32[4x64] 0.3\nB = f32[64x4] 0.7\nC = f32[4x4] zero\narguments\n"
      "expect C = A @ B\n");
  EXPECT_TRUE(same.of(same.reference.values).right());
  EXPECT_EQ(same.of(std::vector<double>(16)).wrong, 16);

  Judge infinite("A = f32[1x2] random\nC = f32[1x2] zero\narguments\nexpect C = relu(A) + A\n");
  infinite.values.at("A").values = {-std::numeric_limits<double>::infinity(), 2};
  infinite.reference = evaluate(
      infinite.launch, std::get<Expression>(infinite.launch.launches[0].expectations[0].reference),
      [&](const Tensor& tensor) { return infinite.values.at(tensor.name); });
  EXPECT_TRUE(infinite.of({-std::numeric_limits<double>::infinity(), 4}).right());
  EXPECT_EQ(infinite.of({0, 4}).wrong, 1);
}

}  // namespace judgement_test
}  // namespace heddle::runtime
