#include "compiler/plan/split_memory.h"

#include <gtest/gtest.h>

namespace heddle::plan {
namespace split_memory_test {

TEST(SplitMemory, HoldsCountersAndSums) {
  EXPECT_EQ((SplitMemory{6, 1, 1024}.bytes()), 0);
  EXPECT_EQ((SplitMemory{6, 4, 1024}.bytes()), 4 * 8 + 4 * 6 * 4 * 1024);
}

TEST(SplitMemory, SumsBeginAtMultiplesOfSixteenBytes) {
  for (std::int64_t tiles = 1; tiles < 20; ++tiles) {
    const SplitMemory memory{tiles, 2, 64};
    EXPECT_EQ(memory.first_word() * 4 % 16, 0);
    EXPECT_GE(memory.first_word(), tiles);
    EXPECT_LT(memory.first_word(), tiles + 4);
  }
}

}  // namespace split_memory_test
}  // namespace heddle::plan
