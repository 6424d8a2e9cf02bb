#include "heddle/instruction/sum_error.h"

#include <gtest/gtest.h>

#include <limits>

namespace heddle::instruction {
namespace sum_error_test {

TEST(SumError, CountsProductsAndGroups) {
  constexpr SumError error{0x1p-20, 0x1p-10, 0x1p-8, 16};
  const double x = 0x1p-20 + 17 * 0x1p-10 + 2 * 0x1p-8;  // 17 products are two groups
  EXPECT_DOUBLE_EQ(error.share(17), x / (1 - x));
  EXPECT_LT(error.share(16), error.share(17));
}

TEST(SumError, ExactSumsHaveNone) { EXPECT_EQ(SumError{}.share(1 << 30), 0); }

// A sum that may lose all of it may be any number.
TEST(SumError, HasNoBoundBeyondTheWhole) {
  constexpr SumError error{0, 0x1p-13, 0, 1};
  EXPECT_EQ(error.share(1 << 13), std::numeric_limits<double>::infinity());
  EXPECT_LT(error.share((1 << 13) - 1), std::numeric_limits<double>::infinity());
}

}  // namespace sum_error_test
}  // namespace heddle::instruction
