// The shares of a softmax between two products: the exact ones lie within what is allowed, little
// more is allowed than the roundings make, and rows without a largest score have none.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "runtime/judge/softmax_check.h"

namespace heddle::runtime {
namespace softmax_check_test {

// Scores of one row: the products of 1 and each of the numbers.
struct Row {
  explicit Row(std::vector<float> numbers) : keys(std::move(numbers)) {
    scores.problem = {.m = 1,
                      .n = static_cast<std::int64_t>(keys.size()),
                      .k = 1,
                      .input = instruction::ElementType::f32};
    scores.a.element = scores.b.element = instruction::ElementType::f32;
    scores.a.bytes = std::as_bytes(std::span(&one, 1));
    scores.b.bytes = std::as_bytes(std::span(keys));
    scores.b.column.step = 1;
    scores.sum_result = instruction::ElementType::f32;
  }

  std::vector<Interval> shares(SoftmaxRounding rounding = {
                                   .factor = instruction::ElementType::f16}) const {
    return softmax_of(scores, rounding)(0);
  }

  static constexpr float one = 1;
  std::vector<float> keys;
  Product scores;
};

TEST(SoftmaxCheck, ExactSharesAreRightAndLittleElseIs) {
  const Row row({0.5f, -1, 3, 2.75f, 3, -20});
  double sum = 0;
  for (const float key : row.keys) sum += std::exp(double{key});
  const std::vector<Interval> shares =
      row.shares({.factor = instruction::ElementType::f16, .rescales = 3, .additions = 10});
  ASSERT_EQ(shares.size(), row.keys.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double exact = std::exp(double{row.keys[i]}) / sum;
    EXPECT_LT(shares[i].low, exact);
    EXPECT_GT(shares[i].high, exact);
    // Half a unit of f16, and half a step of its subnormal numbers.
    EXPECT_GT(shares[i].high - exact, 0x1p-11 * exact);
    EXPECT_LT(shares[i].high - shares[i].low, 2.4 * (0x1p-11 * exact + 0x1p-25));
  }
}

TEST(SoftmaxCheck, PowersOfTwo) {
  const std::vector<Interval> shares =
      Row({0, 1}).shares({.factor = instruction::ElementType::f16, .is_base_two = true});
  EXPECT_NEAR(shares[0].low, 1.0 / 3, 0x1p-11);
  EXPECT_NEAR(shares[1].high, 2.0 / 3, 0x1p-10);
}

TEST(SoftmaxCheck, MaskedScores) {
  const std::vector<Interval> shares = Row({-INFINITY, 0, -1e30f}).shares();
  EXPECT_EQ(shares[0].high, 0);
  EXPECT_LT(shares[2].high, 0x1p-100);
  EXPECT_NEAR(shares[1].low, 1, 0x1p-10);
  for (const Interval& share : Row({-INFINITY, -INFINITY}).shares())
    EXPECT_TRUE(std::isnan(share.low));
  for (const Interval& share : Row({NAN, 0}).shares()) EXPECT_TRUE(share.has_nan());
}

}  // namespace softmax_check_test
}  // namespace heddle::runtime
