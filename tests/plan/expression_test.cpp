#include "heddle/plan/expression.h"

#include <gtest/gtest.h>

#include <limits>

namespace heddle::plan {
namespace expression_test {

using instruction::ElementType;

TEST(Expression, IsIdentityWithoutSteps) {
  EXPECT_TRUE(Expression{}.is_identity());
  EXPECT_TRUE((Expression{{{Step::input, ElementType::f16}}}.is_identity()));
  EXPECT_FALSE((Expression{{{Step::input, ElementType::f16, {}, 1}}}.is_identity()));
  const Expression wide{{{Step::input, ElementType::f16}, {Step::convert, ElementType::f32, {0}}}};
  EXPECT_FALSE(wide.is_identity());
  EXPECT_EQ(wide.type(), ElementType::f32);
}

TEST(Expression, StepsKnowTheirOperands) {
  EXPECT_EQ(operand_count(Step::constant), 0);
  EXPECT_EQ(operand_count(Step::convert), 1);
  EXPECT_EQ(operand_count(Step::less), 2);
  EXPECT_EQ(operand_count(Step::select), 3);
}

TEST(Expression, ConstantsAreEqualIfTheirBitsAre) {
  const auto constant = [](double value) {
    return Node{Step::constant, ElementType::f32, {}, 0, value};
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(constant(1), constant(1));
  EXPECT_EQ(constant(nan), constant(nan));
  EXPECT_NE(constant(0.0), constant(-0.0));
}

TEST(Expression, EveryConstantStandsForAnInteger) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(integer_of(-3), -3);
  EXPECT_EQ(integer_of(0x1p63), most);
  EXPECT_EQ(integer_of(-0x1p63), least);
  EXPECT_EQ(integer_of(infinity), most);
  EXPECT_EQ(integer_of(-infinity), least);
  EXPECT_EQ(integer_of(std::numeric_limits<double>::quiet_NaN()), 0);
}

}  // namespace expression_test
}  // namespace heddle::plan
