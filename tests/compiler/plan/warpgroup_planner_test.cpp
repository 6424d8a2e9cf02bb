#include "compiler/plan/warpgroup_planner.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "tests/compiler/plan/random_problems.h"

namespace heddle::plan {
namespace warpgroup_planner_test {

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
  RC_ASSERT(plan->shared_bytes() <= hopper.shared_bytes);
  // What setmaxnreg gives: 64 Ki registers of a multiprocessor.
  RC_ASSERT(warpgroup_lanes *
                (plan->producer_registers + plan->consumers * plan->consumer_registers) <=
            65536);
  RC_ASSERT(plan->blocks <= hopper.multiprocessors);
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
            "a block of 64x100x64; accepted for wgmma: 64, 128, 192 or 256 for m, multiples of 8 "
            "from 16 to 256 for n, multiples of 64 up to 256 for k");
  EXPECT_EQ(make_warpgroup_plan(problem, {.stages = 40}).error(), "40 stages; accepted: 1 to 8");
}

// Which tiles follow each other, by how many there are (bench/gpu/groups_h100.json).
TEST(WarpgroupPlanner, OrderOfTiles) {
  const auto group = [](const Problem& problem, const PlanFields& asked = {}) {
    return make_warpgroup_plan(problem, asked).value().group_m;
  };
  EXPECT_EQ(group({.m = 4096, .n = 4096, .k = 4096}), 8);
  EXPECT_EQ(group({.m = 1536, .n = 1536, .k = 1536}), 4);
  EXPECT_EQ(group({.m = 3000, .n = 3000, .k = 3000}), 2);
  EXPECT_EQ(group({.m = 12288, .n = 12288, .k = 12288}), 16);
  EXPECT_EQ(group({.m = 1536, .n = 1536, .k = 1536, .dynamic = 1}), 8);
  EXPECT_EQ(group({.m = 1536, .n = 1536, .k = 1536}, {.group = 3}), 3);
  const std::vector<PlanFields> likely = likely_plans({.m = 1536, .n = 1536, .k = 1536}, 16);
  ASSERT_EQ(likely.size(), 16u);
  EXPECT_EQ(likely.front().group, 0);
  EXPECT_EQ(likely.back().group, 2);
  EXPECT_EQ(likely.back().block_n, likely.front().block_n);
}

// How often the copies of all blocks that share the operand write each line of 128 bytes of its
// tile, where the box of each copy and the address of each part say.
std::vector<int> lines_copied(const WarpgroupPlan& plan, instruction::Operand operand) {
  const bool is_a = operand == instruction::Operand::a;
  const CopyBox box = plan.copy_box(operand);
  std::vector<int> times(
      static_cast<std::size_t>((is_a ? plan.a_bytes() : plan.b_bytes()) / swizzled_line_bytes));
  const int blocks = is_a ? plan.cluster_n : plan.cluster_m;
  for (int part = 0; part < blocks; ++part) {
    for (int copy = 0; copy < box.copies; ++copy) {
      const int first = part * box.bytes_of_part + copy * plan.panel_bytes(operand);
      EXPECT_EQ(first % 1024, 0) << "where the swizzle begins again";
      for (int line = 0; line < box.lines; ++line)
        ++times.at(static_cast<std::size_t>(first / swizzled_line_bytes + line));
    }
  }
  return times;
}

std::vector<WarpgroupPlan> forms_of_operands() {
  std::vector<WarpgroupPlan> forms;
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      WarpgroupPlan form;
      form.problem = {.m = 512, .n = 512, .k = 512};
      form.problem.a.transposed = a_transposed;
      form.problem.b.transposed = b_transposed;
      forms.push_back(form);
    }
  }
  WarpgroupPlan bytes;
  bytes.problem = {.m = 512, .n = 512, .k = 512, .input = ElementType::i8};
  bytes.problem.result = ElementType::i32;
  bytes.problem.b.transposed = true;
  forms.push_back(bytes);
  return forms;
}

// Every cluster up to 9 x 9 of every block: those that are taken copy each line of the tile once,
// and what the others are told to take instead is taken.
TEST(WarpgroupPlanner, BlocksOfAClusterCopyTheirTileExactlyOnce) {
  int made = 0, refused = 0;
  for (const WarpgroupPlan& form : forms_of_operands()) {
    constexpr std::array columns{64, 112, 144, 192};
    for (int choice = 0; choice < 4 * 4 * 2 * 81; ++choice) {
      PlanFields asked{.block_m = 64 * (choice % 4 + 1),
                       .block_n = columns[static_cast<std::size_t>(choice / 4 % 4)]};
      asked.block_k = (choice / 16 % 2 + 1) * swizzled_line_bytes / form.input_bytes();
      asked.consumers = asked.block_m / 64 == 4 ? 2 : asked.block_m / 64;
      asked.cluster_m = choice / 32 % 9 + 1, asked.cluster_n = choice / 32 / 9 + 1;
      auto plan = make_warpgroup_plan(form.problem, asked);
      if (!plan && plan.error().starts_with("a cluster of ")) {
        ++refused;
        const std::string& error = plan.error();
        const std::size_t at = error.find("; accepted: ");
        ASSERT_NE(at, std::string::npos) << error;
        ASSERT_EQ(std::sscanf(error.c_str() + at, "; accepted: %dx%d", &asked.cluster_m,
                              &asked.cluster_n),
                  2)
            << error;
        plan = make_warpgroup_plan(form.problem, asked);
        ASSERT_TRUE(plan) << error << "\n" << plan.error();
      }
      ASSERT_TRUE(plan) << plan.error();
      ++made;
      SCOPED_TRACE(std::to_string(plan->block_m) + "x" + std::to_string(plan->block_n) +
                   " cluster " + std::to_string(plan->cluster_m) + "x" +
                   std::to_string(plan->cluster_n));
      for (const auto operand : {instruction::Operand::a, instruction::Operand::b})
        for (const int times : lines_copied(*plan, operand)) ASSERT_EQ(times, 1);
      ASSERT_EQ(plan->blocks % plan->cluster(), 0);
      ASSERT_LE(plan->blocks, hopper.multiprocessors);
    }
  }
  EXPECT_GT(made, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(WarpgroupPlanner, SaysWhichClusterWouldDo) {
  const Problem problem{.m = 128, .n = 256, .k = 64};
  EXPECT_EQ(make_warpgroup_plan(problem, {.block_m = 128, .block_n = 64, .cluster_n = 3}).error(),
            "a cluster of 1x3, whose 3 blocks with the same rows of A cannot each copy an equal "
            "part of the 128, in whole groups of 8; accepted: 1x2");
}

// For 132 multiprocessors D has 8 x 17 tiles of 128 x 128, and 8 x 16 of 128 x 136.
TEST(WarpgroupPlanner, ColumnsOfABlockFitD) {
  Problem problem{.m = 1024, .n = 2112, .k = 7168};
  problem.b.transposed = true;
  const auto plan = make_warpgroup_plan(problem, {});
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->block_n, 136);
  EXPECT_EQ(plan->blocks, 128);
  EXPECT_EQ(make_warpgroup_plan(problem, {.block_m = 192, .block_n = 216}).error(),
            "3 consumers of a block of 192x216, 108 registers of sums a thread; accepted: at most "
            "96");
  Problem bytes = problem;
  bytes.input = ElementType::i8;
  bytes.result = ElementType::i32;
  EXPECT_EQ(
      make_warpgroup_plan(bytes, {.block_m = 128, .block_n = 136}).error(),
      "a block of 128x136x128; accepted for wgmma: 64, 128, 192 or 256 for m, multiples of 16 "
      "from 16 to 256 for n, multiples of 128 up to 256 for k");
  EXPECT_EQ(make_warpgroup_plan({.m = 128, .n = 144, .k = 512}, {.split_k = 17}).error(),
            "a split of k into 17; accepted: 1 to 8, each with some of its steps");
  Problem dynamic{.m = 128, .n = 144, .k = 512};
  dynamic.dynamic = 1u << static_cast<unsigned>(Loop::m);
  EXPECT_EQ(make_warpgroup_plan(dynamic, {.split_k = 2}).error(),
            "a split of k into 2 where the number of tiles is not known; accepted: 1");
  EXPECT_EQ(
      make_warpgroup_plan({.m = 32768, .n = 32768, .k = 512}, {.split_k = 2}).error(),
      "a split of k into 2 of 32768 tiles, whose parts take more than 2147483647 bytes; accepted: "
      "fewer parts, or 1");
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
                                                    .block_n = draw(0, 64, 128, 176, 256, 65536),
                                                    .block_k = draw(0, 64, 128, 256, 48, 65536),
                                                    .stages = draw(0, 0, 1, 2, 4, 65536),
                                                    .consumers = draw(0, 0, 1, 2, 3, 65536),
                                                    .cluster_m = draw(0, 0, 1, 2, 4, 65536),
                                                    .cluster_n = draw(0, 0, 1, 2, 3, 65536)});
    if (!plan) {
      EXPECT_NE(plan.error().find("; accepted"), std::string::npos) << plan.error();
      continue;
    }
    ++made;
    EXPECT_LE(plan->shared_bytes(), hopper.shared_bytes);
    EXPECT_LE(plan->bands() * plan->block_n / 2, 256);
    EXPECT_LE(plan->cluster(), 8);
    EXPECT_EQ(plan->blocks % plan->cluster(), 0);
  }
  EXPECT_GT(made, 100);
}

}  // namespace warpgroup_planner_test
}  // namespace heddle::plan
