#include "compiler/plan/product_plan.h"

#include <gtest/gtest.h>

namespace heddle::plan {
namespace product_plan_test {

// Parts are as long as the first, but for the last, which has what is left.
TEST(ProductPlan, EveryPartHasSteps) {
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

TEST(ProductPlan, CountsFollowFromTiles) {
  instruction::Instruction mma{};
  mma.m = 16;
  mma.n = 8;
  mma.k = 16;
  ProductPlan plan;
  plan.problem = {.m = 129, .n = 256, .k = 65};
  plan.instruction = &mma;
  plan.tiles = {.m = 128, .n = 128, .k = 32, .warps_m = 2, .warps_n = 4, .stages = 3, .split_k = 2};
  EXPECT_EQ(plan.tiles.threads(), 256);
  EXPECT_EQ(plan.atoms_m(), 4);
  EXPECT_EQ(plan.atoms_n(), 4);
  EXPECT_EQ(plan.atoms_k(), 2);
  EXPECT_EQ(plan.blocks_m(), 2);
  EXPECT_EQ(plan.blocks_n(), 2);
  EXPECT_EQ(plan.tiles_of_d(), 4);
  EXPECT_EQ(plan.part_k(), 64);
}

}  // namespace product_plan_test
}  // namespace heddle::plan
