#include "compiler/plan/mma_plan.h"

#include <gtest/gtest.h>

namespace heddle::plan {
namespace mma_plan_test {

// A block for each tile, or fewer that compute several; matrices along y, parts of k along z.
TEST(MmaPlan, GridFollowsFromTiles) {
  MmaPlan plan;
  plan.problem = {.m = 129, .n = 256, .k = 65, .batch = 3};
  plan.tiles = {.m = 128, .n = 128, .k = 32, .split_k = 1, .blocks = 4};
  EXPECT_TRUE(plan.has_one_tile_each());
  EXPECT_EQ(blocks(plan.grid(), plan.problem), (std::array<std::uint32_t, 3>{4, 3, 1}));
  plan.tiles.blocks = 2;
  EXPECT_FALSE(plan.has_one_tile_each());
  EXPECT_EQ(blocks(plan.grid(), plan.problem), (std::array<std::uint32_t, 3>{2, 3, 1}));
}

}  // namespace mma_plan_test
}  // namespace heddle::plan
