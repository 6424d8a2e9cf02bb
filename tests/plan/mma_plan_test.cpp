#include "heddle/plan/mma_plan.h"

#include <gtest/gtest.h>

namespace heddle::plan {
namespace {

TEST(MmaPlan, CountsFollowFromTiles) {
  MmaPlan plan;
  plan.problem = {.m = 129, .n = 256, .k = 65};
  plan.instruction = instruction::find("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                                       instruction::Target::sm_80);
  ASSERT_NE(plan.instruction, nullptr);
  plan.tiles = {.m = 128, .n = 128, .k = 32, .warps_m = 2, .warps_n = 4, .stages = 3};
  EXPECT_EQ(plan.tiles.threads(), 256);
  EXPECT_EQ(plan.atoms_m(), 4);
  EXPECT_EQ(plan.atoms_n(), 4);
  EXPECT_EQ(plan.atoms_k(), 2);
  EXPECT_EQ(plan.blocks_m(), 2);
  EXPECT_EQ(plan.blocks_n(), 2);
  EXPECT_EQ(plan.k_steps(), 3);
}

}  // namespace
}  // namespace heddle::plan
