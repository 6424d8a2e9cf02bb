#include "heddle/plan/expression.h"

#include <gtest/gtest.h>

namespace heddle::plan {
namespace {

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

}  // namespace
}  // namespace heddle::plan
