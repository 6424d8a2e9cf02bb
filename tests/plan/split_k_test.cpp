#include "heddle/plan/split_k.h"

#include <gtest/gtest.h>

namespace heddle::plan {
namespace {

// Parts are as long as the first, but for the last, which has what is left.
TEST(SplitK, EveryPartHasSteps) {
  for (std::int64_t steps = 1; steps < 300; ++steps) {
    for (const std::int64_t least : {1, 3, 8}) {
      const int splits = splits_of(steps, 64, least);
      const std::int64_t part = (steps + splits - 1) / splits;
      EXPECT_GT(steps - part * (splits - 1), 0) << steps;
      if (splits > 1) EXPECT_GE(part, least) << steps;
      EXPECT_LE(splits, splits_of(steps, 64, 1));
    }
  }
  EXPECT_EQ(splits_of(64, 64, 1), 64);
  EXPECT_EQ(splits_of(64, 63, 1), 32);
  EXPECT_EQ(splits_of(64, 64, 8), 8);
  EXPECT_EQ(splits_of(3, 64, 1), 2);
}

TEST(SplitK, MemoryHoldsCountersAndSums) {
  EXPECT_EQ(split_bytes(6, 1, 1024), 0);
  EXPECT_EQ(split_bytes(6, 4, 1024), 4 * 6 + 4 * 6 * 4 * 1024);
}

}  // namespace
}  // namespace heddle::plan
