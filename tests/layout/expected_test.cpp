// A value or its error.
#include "heddle/layout/expected.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace heddle::layout {
namespace expected_test {

constexpr Expected<int> seven = 7;
static_assert(seven.has_value() && seven && *seven == 7 && seven.value() == 7);
static_assert(seven.error().code == ErrorCode::none);

constexpr Expected<int> failed = Error{ErrorCode::duplicate_axis, "m", {}, {}};
static_assert(!failed && !failed.has_value());
static_assert(failed.error().axis == AxisName("m"));
static_assert(std::is_trivially_copyable_v<Expected<int>>);

TEST(Expected, holds_a_value_or_an_error) {
  Expected<Axis> axis = Axis{"lane", 5};
  ASSERT_TRUE(axis.has_value());
  EXPECT_EQ(axis->bits, 5);
  axis->bits = 6;
  EXPECT_EQ((*axis).bits, 6);
  axis = Error{ErrorCode::too_many_axes, {}, {}, {}};
  EXPECT_FALSE(axis.has_value());
  EXPECT_EQ(axis.error().code, ErrorCode::too_many_axes);
}

TEST(ExpectedDeathTest, value_of_an_error_stops_with_the_sentence) {
  const Expected<int> wrong = Error{ErrorCode::duplicate_axis, "lane", {}, {}};
  EXPECT_DEATH((void)wrong.value(), "heddle: axis 'lane' is named twice on one side");
}

TEST(ExpectedDeathTest, so_do_star_and_arrow) {
  Expected<Axis> wrong = Error{ErrorCode::duplicate_axis, "lane", {}, {}};
  const Expected<Axis>& same = wrong;
  EXPECT_DEATH((void)*wrong, "heddle: axis 'lane' is named twice on one side");
  EXPECT_DEATH((void)*same, "heddle: axis 'lane' is named twice on one side");
  EXPECT_DEATH((void)wrong->bits, "heddle: axis 'lane' is named twice on one side");
  EXPECT_DEATH((void)same->bits, "heddle: axis 'lane' is named twice on one side");
}

}  // namespace expected_test
}  // namespace heddle::layout
