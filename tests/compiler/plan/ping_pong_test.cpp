// Which products have waves that change places, and what is said where they do not.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/plan/matmul_planner.h"

namespace heddle::plan {
namespace ping_pong_test {

using instruction::Target;

std::string schedule_of(const MatmulPlan& plan) {
  const auto found = std::ranges::find(plan.choices, "schedule", &Choice::what);
  return found == plan.choices.end() ? "none" : found->value + ": " + found->why;
}

std::string refusal(const Problem& problem, const PlanFields& asked, Target target) {
  const auto plan = make_plan(problem, target, asked);
  return plan ? "" : plan.error();
}

// Blocks of 256x256 have eight waves, and tiles of at least 64 bytes of a row.
TEST(PingPong, LargeTilesHaveIt) {
  using instruction::ElementType;
  const auto turns = [](int mfma) {
    return "ping-pong: of the two waves on a SIMD one multiplies, " + std::to_string(mfma) +
           " MFMA in a turn, while the other loads and stores; at a barrier they change places";
  };
  Problem problem{8192, 8192, 8192};
  for (const Target target : {Target::gfx942, Target::gfx950}) {
    for (const ElementType type : {ElementType::f16, ElementType::i8}) {
      problem.input = type;
      const MatmulPlan plan = make_plan(problem, target);
      EXPECT_TRUE(plan.ping_pong);
      EXPECT_EQ(plan.tiles.warps(), 8);
      EXPECT_EQ(plan.tiles.m * plan.tiles.n, 256 * 256);
      EXPECT_EQ(schedule_of(plan), turns(target == Target::gfx942 ? 16 : 8));
    }
  }
  problem.input = ElementType::f16;
  EXPECT_EQ(schedule_of(make_plan(problem, Target::gfx90a)),
            "together: for this processor no measurement of ping-pong is published");
  problem.k = 16;  // of which a tile has no more
  EXPECT_EQ(schedule_of(make_plan(problem, Target::gfx942)),
            "together: turns of so small tiles would be short");
  for (const Problem& small : {Problem{512, 512, 512}, Problem{2048, 2048, 2048}})
    for (const Target target : {Target::gfx942, Target::gfx950, Target::gfx1151})
      EXPECT_EQ(schedule_of(make_plan(small, target)), "none");
}

// One workgroup has all of LDS.
TEST(PingPong, LdsHasTilesOfOneWorkgroup) {
  const Problem problem{512, 512, 512};
  const PlanFields turns{.block_m = 256, .block_n = 256, .block_k = 32, .schedule = "ping-pong"};
  PlanFields together = turns;
  together.schedule = "together";
  const auto stages = [&](const PlanFields& asked) {
    return make_plan(problem, Target::gfx950, asked).value().tiles.stages;
  };
  EXPECT_EQ(stages(together), 2);
  EXPECT_EQ(stages(turns), 3);
  // Of one step, too, a tile stands beside the one that is read.
  Problem shallow = problem;
  shallow.k = 32;
  EXPECT_EQ(make_plan(shallow, Target::gfx950, turns).value().tiles.stages, 2);
}

TEST(PingPong, APlanFileDecides) {
  const Problem problem{512, 512, 512};
  const auto asked = make_plan(problem, Target::gfx90a, {.schedule = "ping-pong"});
  ASSERT_TRUE(asked.has_value()) << asked.error();
  EXPECT_TRUE(asked->ping_pong);
  EXPECT_EQ(asked->tiles.warps(), 8);
  const Problem large{8192, 8192, 8192};
  const auto together = make_plan(large, Target::gfx942, {.schedule = "together"});
  ASSERT_TRUE(together.has_value());
  EXPECT_FALSE(together->ping_pong);
  EXPECT_EQ(schedule_of(*together), "together: as the plan file says");
}

std::string copies_of(const MatmulPlan& plan) {
  const auto found = std::ranges::find(plan.choices, "copies", &Choice::what);
  return found == plan.choices.end() ? "none" : found->value + ": " + found->why;
}

// Where A or B passes registers, the other does so too. A plan file cannot have it otherwise.
TEST(PingPong, OneWayForBothOperands) {
  for (const bool is_a : {true, false}) {
    Problem problem{512, 512, 512};
    (is_a ? problem.a : problem.b).passes_registers = true;
    const std::string mixed = is_a ? "registers, direct" : "direct, registers";
    const auto turns = make_plan(problem, Target::gfx950, {.schedule = "ping-pong"});
    ASSERT_TRUE(turns.has_value()) << turns.error();
    EXPECT_TRUE(turns->ping_pong);
    EXPECT_FALSE(turns->has_copies());
    EXPECT_EQ(copies_of(*turns), is_a
                                     ? "registers: A is more than moved on its way; in ping-pong B "
                                       "goes as A"
                                     : "registers: in ping-pong A goes as B; B is more than moved "
                                       "on its way");
    for (const unsigned dynamic : {0u, 7u}) {
      Problem sizes = problem;
      sizes.dynamic = dynamic;
      if (dynamic != 0) sizes.a.divisor = sizes.b.divisor = 1;  // both pass registers
      EXPECT_EQ(refusal(sizes, {.copies = mixed, .schedule = "ping-pong"}, Target::gfx950),
                "the schedule \"ping-pong\"; accepted: together, since of A and B one passes "
                "registers while the other goes straight to LDS");
    }
    EXPECT_TRUE(copies_of(make_plan(problem, Target::gfx950)).starts_with(mixed + ": "));
  }
}

// Tiles that would have it say why they do not.
TEST(PingPong, LargeTilesSayWhyTheyDoNotHaveIt) {
  Problem problem{8192, 8192, 8192};
  problem.a.passes_registers = true;
  EXPECT_EQ(schedule_of(make_plan(problem, Target::gfx950)),
            "together: of A and B one passes registers while the other goes straight to LDS");
}

TEST(PingPong, RefusalsSayWhatIsAccepted) {
  const Problem problem{512, 512, 512};
  EXPECT_EQ(refusal(problem, {.schedule = "pingpong"}, Target::gfx942),
            "the schedule \"pingpong\"; accepted: ping-pong or together");
  EXPECT_EQ(refusal(problem, {.warps_m = 2, .warps_n = 2, .schedule = "ping-pong"}, Target::gfx942),
            "the schedule \"ping-pong\" of a block of 128x128 with 2x2 waves; accepted: 8 waves, "
            "each with at least 16x16 of the block");
  EXPECT_EQ(refusal({16, 32, 512}, {.schedule = "ping-pong"}, Target::gfx950),
            "the schedule \"ping-pong\" of a block of 16x32 with 1x2 waves; accepted: 8 waves, "
            "each with at least 16x16 of the block");
  EXPECT_EQ(refusal(problem, {.schedule = "ping-pong"}, Target::gfx1151),
            "the schedule \"ping-pong\"; accepted: together, since only on CDNA a workgroup of 8 "
            "waves has two on each SIMD");
  EXPECT_EQ(refusal(problem, {.stages = 1, .schedule = "ping-pong"}, Target::gfx950),
            "the schedule \"ping-pong\"; accepted: together, since with one tile in LDS copies run "
            "while nothing is multiplied");
  Problem integers{512, 512, 512};
  integers.input = instruction::ElementType::i32;
  EXPECT_EQ(refusal(integers, {.schedule = "ping-pong"}, Target::gfx942),
            "the schedule \"ping-pong\"; accepted: together, since multiply-adds occupy no matrix "
            "core beside other waves");
  Problem doubles{512, 512, 512};
  doubles.input = doubles.result = instruction::ElementType::f64;
  EXPECT_EQ(
      refusal(doubles, {.block_m = 256, .block_n = 256, .schedule = "ping-pong"}, Target::gfx942),
      "the schedule \"ping-pong\"; accepted: together, since waves of 360 VGPRs are alone on their "
      "SIMD");
}

}  // namespace ping_pong_test
}  // namespace heddle::plan
