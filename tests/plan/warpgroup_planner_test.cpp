#include "heddle/plan/warpgroup_planner.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <random>

#include "random_problems.h"

namespace heddle::plan {
namespace {

using instruction::ElementType;

Problem any_aligned_problem() {
  Problem problem = property::any_problem();
  const auto rounded = [](std::int64_t size) { return (size + 7) / 8 * 8; };
  problem.n = rounded(problem.n);
  problem.k = rounded(problem.k);
  return problem;
}

RC_GTEST_PROP(WarpgroupPlanner, PlansWhatItTakesWithinTheLimits, ()) {
  const auto plan = make_warpgroup_plan(any_aligned_problem());
  RC_ASSERT(plan.has_value());
  RC_ASSERT(refusal(*plan).empty());
  RC_ASSERT(plan->shared_bytes() <= hopper_shared_bytes);
  // What setmaxnreg gives: 64 Ki registers of a multiprocessor.
  RC_ASSERT(warpgroup_lanes *
                (plan->producer_registers + plan->consumers * plan->consumer_registers) <=
            65536);
  RC_ASSERT(plan->blocks <= hopper_multiprocessors);
  RC_ASSERT(plan->cluster_tiles_m() * plan->cluster_m * plan->block_m >= plan->problem.m);
  RC_ASSERT(plan->cluster_tiles_n() * plan->cluster_n * plan->block_n >= plan->problem.n);
}

RC_GTEST_PROP(WarpgroupPlanner, EveryChoiceHasAReason, ()) {
  for (const Choice& choice : explain(*make_warpgroup_plan(any_aligned_problem()))) {
    RC_ASSERT(!choice.value.empty());
    RC_ASSERT(choice.why.size() > 15u);
  }
}

TEST(WarpgroupPlanner, LargeProductsTakeTheLargestTile) {
  for (const std::int64_t size : {4096, 8192}) {
    const auto plan =
        make_warpgroup_plan({.m = size, .n = size, .k = size, .result = ElementType::f16});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->block_m * plan->block_n, 128 * 256);
    EXPECT_EQ(plan->stages, 4);
  }
}

TEST(WarpgroupPlanner, SaysWhatItDoesNotTake) {
  const auto reason = [](const Problem& problem) { return make_warpgroup_plan(problem).error(); };
  EXPECT_NE(reason({.m = 42, .n = 64, .k = 33}).find("rows of A are 66 bytes"), std::string::npos);
  EXPECT_NE(reason({.m = 42, .n = 63, .k = 32}).find("rows of B are 126 bytes"), std::string::npos);
  Problem bytes{.m = 64, .n = 64, .k = 64, .input = ElementType::i8, .result = ElementType::i32};
  EXPECT_NE(reason(bytes).find("contiguous along k"), std::string::npos);
  bytes.b.transposed = true;
  EXPECT_TRUE(make_warpgroup_plan(bytes));
  EXPECT_NE(reason({.m = 64, .n = 64, .k = 64, .input = ElementType::f32}).find("tf32"),
            std::string::npos);
  bytes.input = ElementType::fp8, bytes.result = ElementType::f32;
  EXPECT_NE(reason(bytes).find("14 bits"), std::string::npos);
}

TEST(WarpgroupPlanner, KeepsWhatIsAskedFor) {
  const Problem problem{.m = 512, .n = 512, .k = 512};
  const auto plan = make_warpgroup_plan(problem, {.block_m = 64, .block_n = 192, .stages = 3});
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->block_m, 64);
  EXPECT_EQ(plan->block_n, 192);
  EXPECT_EQ(plan->stages, 3);
  const auto clustered = make_warpgroup_plan(problem, {.consumers = 1, .cluster_n = 2});
  ASSERT_TRUE(clustered) << clustered.error();
  EXPECT_EQ(clustered->consumers, 1);
  EXPECT_EQ(clustered->cluster_n, 2);
  EXPECT_EQ(make_warpgroup_plan(problem, {.block_m = 64, .block_n = 100}).error(),
            "a block of 64x100x64; accepted for wgmma: 64, 128, 192 or 256 for m and n, multiples "
            "of 64 up to 256 for k");
  EXPECT_EQ(make_warpgroup_plan(problem, {.stages = 40}).error(), "40 stages; accepted: 1 to 8");
}

// Whatever is asked for: a plan that fits a multiprocessor, or what would be right.
TEST(WarpgroupPlanner, WhatIsAskedForFitsOrIsRefused) {
  const Problem problem{.m = 512, .n = 512, .k = 512};
  std::mt19937 random(1);
  int made = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto draw = [&](auto... sizes) {
      const std::array all{sizes...};
      return all[random() % all.size()];
    };
    const auto plan = make_warpgroup_plan(problem, {.block_m = draw(0, 64, 128, 192, 256, 65536),
                                                    .block_n = draw(0, 64, 128, 192, 256, 65536),
                                                    .block_k = draw(0, 64, 128, 256, 48, 65536),
                                                    .consumers = draw(0, 0, 1, 2, 3, 65536),
                                                    .stages = draw(0, 0, 1, 2, 4, 65536),
                                                    .cluster_m = draw(0, 0, 1, 2, 4, 65536),
                                                    .cluster_n = draw(0, 0, 1, 2, 3, 65536)});
    if (!plan) {
      EXPECT_NE(plan.error().find("; accepted"), std::string::npos) << plan.error();
      continue;
    }
    ++made;
    EXPECT_LE(plan->shared_bytes(), hopper_shared_bytes);
    EXPECT_LE(plan->bands() * plan->block_n / 2, 256);
    EXPECT_LE(plan->cluster(), 8);
    EXPECT_EQ(plan->blocks % plan->cluster(), 0);
  }
  EXPECT_GT(made, 100);
}

}  // namespace
}  // namespace heddle::plan
