#include "heddle/interop/cute/nested.h"

#include <gtest/gtest.h>

namespace heddle::interop::cute {
namespace nested_test {

const IntTuple nest = int_tuple(4, int_tuple(2, 8), int_tuple(int_tuple(3)));

TEST(Nested, RankDepthAndLeaves) {
  EXPECT_EQ(rank(nest), 3u);
  EXPECT_EQ(depth(nest), 3);
  EXPECT_EQ(flatten(nest), (std::vector<Number>{4, 2, 8, 3}));
  EXPECT_EQ(product(nest), 4 * 2 * 8 * 3);
  EXPECT_EQ(rank(IntTuple(7)), 1u);
  EXPECT_EQ(depth(IntTuple(7)), 0);
  EXPECT_EQ(IntTuple(7)[0], IntTuple(7));
  EXPECT_EQ(product(int_tuple()), 1);
}

TEST(Nested, ATupleOfOneIsNotItsMode) {
  EXPECT_FALSE(int_tuple(7) == IntTuple(7));
  EXPECT_FALSE(int_tuple(7, 8) == int_tuple(7, 9));
  EXPECT_TRUE(int_tuple(7, int_tuple(8)) == int_tuple(7, int_tuple(8)));
}

TEST(Nested, CongruentLooksAtFormAlone) {
  EXPECT_TRUE(congruent(nest, map_leaves<char>(nest, [](Number) { return 'x'; })));
  EXPECT_FALSE(congruent(nest, int_tuple(4, int_tuple(2, 8), int_tuple(3))));
  EXPECT_FALSE(congruent(int_tuple(1), IntTuple(1)));
  EXPECT_FALSE(congruent(int_tuple(1, 2), int_tuple(1, 2, 3)));
}

TEST(Nested, MapLeavesKeepsForm) {
  EXPECT_EQ(map_leaves<Number>(nest, [](Number leaf) { return leaf + 1; }),
            int_tuple(5, int_tuple(3, 9), int_tuple(int_tuple(4))));
}

}  // namespace nested_test
}  // namespace heddle::interop::cute
