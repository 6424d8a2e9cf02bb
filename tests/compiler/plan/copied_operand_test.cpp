#include "compiler/plan/copied_operand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>

#include "compiler/plan/matmul_planner.h"

namespace heddle::plan {
namespace copied_operand_test {

using instruction::ElementType;
using instruction::Target;

Problem with_rows(std::int64_t m, std::int64_t n, std::int64_t k, bool a_transposed,
                  bool b_transposed) {
  Problem problem{m, n, k};
  problem.a.transposed = a_transposed;
  problem.b.transposed = b_transposed;
  return problem;
}

const Choice& copies_of(const MatmulPlan& plan) {
  return *std::ranges::find(plan.choices, "copies", &Choice::what);
}

bool copies_both(const MatmulPlan& plan) { return plan.a.is_copied() && plan.b.is_copied(); }

// A wave's pieces are contiguous in LDS, lane after lane, whatever the layout, and no access
// conflicts; fragments of what does not lie along k are transposed by their loads.
TEST(CopiedOperand, PiecesFollowTheLanes) {
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      const MatmulPlan plan =
          make_plan(with_rows(512, 512, 512, a_transposed, b_transposed), Target::gfx950);
      ASSERT_TRUE(copies_both(plan)) << copies_of(plan).why;
      EXPECT_EQ(plan.tiles.k, 64);
      EXPECT_EQ(plan.tiles.stages, 2);
      EXPECT_EQ(plan.registers.in_flight, 0);
      for (const OperandPlan* operand : {&plan.a, &plan.b}) {
        const bool along_k = operand == &plan.a ? !a_transposed : b_transposed;
        EXPECT_EQ(operand->transposing, !along_k);
        EXPECT_EQ(operand->chosen.load_elements(), along_k ? 8 : 4);
        EXPECT_TRUE(operand->chosen.placement.is_optimal());
        EXPECT_EQ(operand->chosen.registers, 1);
        EXPECT_EQ(operand->chosen.staging.segments, 16);  // of 64 bytes each: 1024
        const layout::LinearLayout& stores = operand->chosen.stores;
        for (int bit = 0; bit < 3; ++bit)
          EXPECT_EQ(stores.basis("element", bit, "offset"), 1u << bit);
        for (int bit = 0; bit < 6; ++bit) EXPECT_EQ(stores.basis("lane", bit, "offset"), 8u << bit);
        for (const memory::Padding& pad : operand->chosen.shared().padding)
          EXPECT_EQ(pad.interval, 512u);
      }
    }
  }
}

// What a descriptor of tensor_load_to_lds can say: rows one behind the other, with padding behind
// every so many bytes, of which each wave copies as many. No load of a fragment conflicts, but for
// those that transpose bytes: where the halves of a wave are 64 rows apart, no padding tells them
// apart.
TEST(CopiedOperand, DescribedTilesAreRowsWithPadding) {
  for (const ElementType type : {ElementType::f16, ElementType::fp8}) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        Problem problem = with_rows(500, 515, 333, a_transposed, b_transposed);
        problem.input = type;
        const MatmulPlan plan = make_plan(problem, Target::gfx1250);
        ASSERT_TRUE(copies_both(plan)) << copies_of(plan).why;
        EXPECT_EQ(plan.registers.in_flight, 0);
        for (const OperandPlan* operand : {&plan.a, &plan.b}) {
          const GlobalTile& tile = operand->tile;
          const bool along_k = operand == &plan.a ? !a_transposed : b_transposed;
          EXPECT_EQ(operand->copies, Copies::tiles);
          EXPECT_EQ(operand->transposing, !along_k);
          const bool may_meet = operand->transposing && type == ElementType::fp8;
          EXPECT_LE(operand->chosen.load_cost().passes,
                    (may_meet ? 2u : 1u) * operand->chosen.load_cost().ideal);
          EXPECT_EQ(operand->chosen.registers, 1);
          const memory::SharedLayout& shared = operand->chosen.shared();
          for (int bit = 0; bit < shared.map.input_bits(); ++bit)
            EXPECT_EQ(std::popcount(shared.map.basis(bit)), 1);
          EXPECT_EQ(shared.map.basis("offset", 0, along_k ? layout::AxisName("k") : tile.row), 1u);
          const int part = tile.rows * tile.k / plan.tiles.warps();
          EXPECT_LE(shared.padding.size(), 1u);
          for (const memory::Padding& pad : shared.padding) {
            const auto interval = static_cast<int>(pad.interval) * tile.element_bytes;
            const auto amount = static_cast<int>(pad.amount) * tile.element_bytes;
            EXPECT_TRUE(interval >= least_padded_bytes && interval <= most_padded_bytes);
            EXPECT_TRUE(amount % 4 == 0 && amount > 0 && amount <= most_padding_bytes);
            EXPECT_EQ(part % static_cast<int>(pad.interval), 0);
          }
          const layout::LinearLayout& stores = operand->chosen.stores;
          for (int bit = 0; bit < stores.inputs().bits_of("warp"); ++bit)
            EXPECT_EQ(stores.basis("warp", bit, "offset"), static_cast<unsigned>(part) << bit);
        }
      }
    }
  }
}

// Twice the k of a step where that adds no work and leaves steps enough; else three tiles in LDS.
TEST(CopiedOperand, StepsAreDeepOrTilesAreThree) {
  for (const auto& [k, block_k, stages] :
       {std::array<int, 3>{512, 64, 2}, {256, 64, 2}, {160, 32, 3}, {288, 32, 3}, {32, 32, 1}}) {
    const MatmulPlan plan = make_plan({2048, 2048, k}, Target::gfx950);
    EXPECT_EQ(plan.tiles.k, block_k) << k;
    EXPECT_EQ(plan.tiles.stages, stages) << k;
  }
}

// B's 32 columns are two pieces: two of the four waves copy zeros behind them, as LDS has room for.
TEST(CopiedOperand, WavesWithoutAPieceCopyZerosBehindTheTile) {
  const MatmulPlan plan = make_plan(with_rows(208, 144, 80, false, true), Target::gfx950);
  ASSERT_TRUE(copies_both(plan));
  ASSERT_EQ(plan.tiles.n, 32);
  ASSERT_EQ(plan.tiles.warps(), 4);
  EXPECT_EQ(copying_groups(plan.a.chosen.staging.map), 1);
  EXPECT_EQ(copying_groups(plan.b.chosen.staging.map), 2);
  EXPECT_EQ(plan.b.chosen.placement.bytes, 2u * 32 * 32 * 2);
}

TEST(CopiedOperand, SaysWhyRegistersAreOnTheWay) {
  struct Case {
    Problem problem;
    Target target;
    const char* copies;
    const char* why;
  };
  Problem odd{512, 512, 516}, computed{512, 512, 512}, converted{512, 512, 512};
  odd.b.transposed = true;
  computed.b.passes_registers = true;
  converted.a.stored = ElementType::f32;
  const Problem f32{512, 512, 512, ElementType::f32}, f64{512, 512, 512, ElementType::f64},
      i32{512, 512, 512, ElementType::i32, ElementType::i32};
  Problem jumping{512, 512, 512}, split = f32;
  jumping.a.is_irregular = true;
  split.f32 = F32Path::bf16x3;
  for (const auto& [problem, target, copies, why] :
       {Case{odd, Target::gfx950, "registers",
             "rows of A begin at multiples of 8 bytes, and a load takes 16"},
        {computed, Target::gfx950, "direct, registers", "B is more than moved on its way"},
        {converted, Target::gfx950, "registers, direct", "A is converted on its way"},
        {f64, Target::gfx950, "direct, registers",
         "B lies along n in memory, and loads transpose elements of 8 and 16"},
        {i32, Target::gfx950, "direct, registers",
         "multiply-adds load four k at once, and B does not lie"},
        {f64, Target::gfx1250, "descriptor, registers",
         "outside of it; multiply-adds load four k at once, and B does not lie along k"},
        {f32, Target::gfx1250, "descriptor, async",
         "B lies along n in memory, and loads transpose elements of 8 and 16"},
        {jumping, Target::gfx1250, "async, descriptor",
         "no descriptor says where the elements of A are"},
        {split, Target::gfx950, "registers", "each f32 becomes two bf16 on its way"},
        {{512, 512, 512}, Target::gfx942, "registers", "loads straight to LDS move 4 bytes"}}) {
    const MatmulPlan plan = make_plan(problem, target);
    EXPECT_EQ(copies_of(plan).value, copies);
    EXPECT_NE(copies_of(plan).why.find(why), std::string::npos) << copies_of(plan).why;
    const std::string a(name(plan.a.copies, target)), b(name(plan.b.copies, target));
    EXPECT_EQ(copies, a == b ? a : a + ", " + b);
  }
  const MatmulPlan rdna = make_plan({512, 512, 512}, Target::gfx1201);
  EXPECT_EQ(std::ranges::find(rdna.choices, "copies", &Choice::what), rdna.choices.end());
}

// Loads of fragments take them one by one.
TEST(CopiedOperand, FloatsOf32BitsMayLieAlongRows) {
  const MatmulPlan plan = make_plan({512, 512, 512, ElementType::f32}, Target::gfx950);
  ASSERT_TRUE(copies_both(plan)) << copies_of(plan).why;
  EXPECT_FALSE(plan.b.transposing);
  EXPECT_EQ(plan.a.chosen.load_elements(), 4);
  EXPECT_EQ(plan.b.chosen.load_elements(), 1);
}

// One operand passes registers, and has some in flight; the other does not, and tiles are ahead of
// the multiplication as if both did not.
TEST(CopiedOperand, OneOfTwoMayPassRegisters) {
  for (const Target target : {Target::gfx950, Target::gfx1250}) {
    for (const bool is_a : {true, false}) {
      Problem problem{512, 512, 512};
      (is_a ? problem.a : problem.b).passes_registers = true;
      const MatmulPlan plan = make_plan(problem, target);
      EXPECT_EQ(plan.a.is_copied(), !is_a);
      EXPECT_EQ(plan.b.is_copied(), is_a);
      EXPECT_EQ(plan.tiles.stages, 3);
      EXPECT_EQ(plan.registers.in_flight, registers_in_flight(problem, plan.tiles, is_a));
      EXPECT_GT(plan.registers.in_flight, 0);
      const MatmulPlan registers = make_plan(problem, target, {.copies = "registers"}).value();
      EXPECT_FALSE(registers.has_copies());
      EXPECT_EQ(registers.registers.in_flight, registers_in_flight(problem, plan.tiles, true) +
                                                   registers_in_flight(problem, plan.tiles, false));
      // As the plan is printed, a plan file has it.
      const std::string direct = target == Target::gfx950 ? "direct" : "descriptor";
      EXPECT_EQ(copies_of(plan).value, is_a ? "registers, " + direct : direct + ", registers");
      const auto again = make_plan(problem, target, {.copies = copies_text(plan)});
      ASSERT_TRUE(again.has_value()) << again.error();
      EXPECT_EQ(copies_text(*again), copies_text(plan));
    }
  }
  const auto a_alone = make_plan({512, 512, 512}, Target::gfx950, {.copies = "direct, registers"});
  ASSERT_TRUE(a_alone.has_value());
  EXPECT_TRUE(a_alone->a.is_copied());
  EXPECT_FALSE(a_alone->b.is_copied());
}

// A lane of gfx1250 copies what rows allow, from 4 bytes on; lanes of a wave lie side by side in
// LDS.
TEST(CopiedOperand, AsynchronousPiecesAreAsWideAsRowsAllow) {
  for (const auto& [k, bytes] : {std::pair{512, 16}, {516, 8}, {514, 4}}) {
    Problem problem{512, 512, k};
    problem.b.transposed = true;
    const auto plan = make_plan(problem, Target::gfx1250, {.copies = "async"});
    ASSERT_TRUE(plan.has_value()) << plan.error();
    EXPECT_EQ(copies_text(*plan), "async");
    for (const OperandPlan* operand : {&plan->a, &plan->b}) {
      EXPECT_EQ(operand->copies, Copies::pieces);
      EXPECT_EQ(2 * operand->patch.k, bytes);
      const layout::LinearLayout& stores = operand->chosen.stores;
      for (int bit = 0; bit < 5; ++bit)
        EXPECT_EQ(stores.basis("lane", bit, "offset"), static_cast<unsigned>(bytes / 2) << bit);
    }
    EXPECT_EQ(copies_text(make_plan(problem, Target::gfx1250)), "descriptor");
  }
  Problem odd{512, 512, 513};
  odd.b.transposed = true;
  const auto refused = make_plan(odd, Target::gfx1250, {.copies = "async"});
  EXPECT_EQ(refused ? "" : refused.error(),
            "async copies of A; accepted: direct or registers, since rows of A begin at multiples "
            "of 2 bytes, and a load takes 4");
  Problem jumping{512, 512, 512};
  jumping.b.is_irregular = true;
  const auto described = make_plan(jumping, Target::gfx1250, {.copies = "descriptor"});
  EXPECT_EQ(described ? "" : described.error(),
            "descriptor copies of B; accepted: direct or registers, since no descriptor says where "
            "the elements of B are");
  const auto other = make_plan(jumping, Target::gfx950, {.copies = "async"});
  ASSERT_FALSE(other.has_value());
  EXPECT_TRUE(other.error().starts_with("copies \"async\"; accepted: direct or registers"));
}

TEST(CopiedOperand, APlanFileDecides) {
  const Problem problem{512, 512, 512};
  const auto registers = make_plan(problem, Target::gfx950, {.copies = "registers"});
  ASSERT_TRUE(registers.has_value());
  EXPECT_FALSE(registers->has_copies());
  EXPECT_EQ(registers->tiles.stages, 2);
  const auto four = make_plan(problem, Target::gfx950, {.stages = 4, .copies = "direct"});
  ASSERT_TRUE(four.has_value());
  EXPECT_TRUE(copies_both(*four));
  EXPECT_EQ(four->shared_bytes / 4 % 16, 0u);
  const auto refusal = [&](const PlanFields& asked, Target target) {
    const auto plan = make_plan(problem, target, asked);
    return plan ? "" : plan.error();
  };
  EXPECT_EQ(refusal({.stages = 5}, Target::gfx950), "5 stages; accepted: 1 to 4");
  EXPECT_EQ(refusal({.stages = 3}, Target::gfx942), "3 stages; accepted: 1 or 2");
  EXPECT_EQ(refusal({.stages = 3, .copies = "registers"}, Target::gfx950),
            "3 stages; accepted: 1 or 2");
  EXPECT_EQ(refusal({.copies = "lds"}, Target::gfx950),
            "copies \"lds\"; accepted: direct or registers, or A's and B's: \"direct, registers\"");
  EXPECT_EQ(refusal({.copies = "direct, lds"}, Target::gfx950).substr(0, 21),
            "copies \"direct, lds\";");
  Problem computed = problem;
  computed.b.passes_registers = true;
  const auto of_b = make_plan(computed, Target::gfx950, {.copies = "direct"});
  EXPECT_EQ(of_b ? "" : of_b.error(),
            "direct copies; accepted: registers, since B is more than moved on its way");
  EXPECT_TRUE(make_plan(computed, Target::gfx950, {.copies = "direct, registers"}).has_value());
  EXPECT_EQ(refusal({.copies = "direct"}, Target::gfx942),
            "direct copies; accepted: registers, since loads straight to LDS move 4 bytes a lane, "
            "those to registers 16");
  EXPECT_EQ(refusal({.copies = "direct"}, Target::gfx1201),
            "direct copies; accepted: registers, since no load goes straight to LDS");
}

// A kernel for any sizes may have other copies than the faster ones beside it, but none has what
// the processor or the operand rules out.
TEST(CopiedOperand, WhatNoSizesAllowIsRefusedForAnySizes) {
  using instruction::Target;
  Problem problem{512, 512, 512};
  problem.dynamic = 7;
  problem.a.divisor = problem.b.divisor = 1;
  const auto refusal = [&](const PlanFields& asked, Target target) {
    const auto plan = make_plan(problem, target, asked);
    return plan ? "" : plan.error();
  };
  EXPECT_EQ(refusal({.copies = "direct"}, Target::gfx950), "");
  EXPECT_EQ(refusal({.copies = "direct"}, Target::gfx942),
            "direct copies; accepted: registers, since loads straight to LDS move 4 bytes a lane, "
            "those to registers 16");
  EXPECT_EQ(refusal({.copies = "direct"}, Target::gfx1201),
            "direct copies; accepted: registers, since no load goes straight to LDS");
  problem.b.passes_registers = true;
  EXPECT_EQ(refusal({.copies = "direct, registers"}, Target::gfx950), "");
  EXPECT_EQ(refusal({.copies = "registers, direct"}, Target::gfx950),
            "direct copies; accepted: registers, since B is more than moved on its way");
}

// No layout of LDS is sought for more than 64 KiB. The planner crashed.
TEST(CopiedOperand, TilesOfMoreThan64KiBAreRefused) {
  using instruction::ElementType;
  using instruction::Target;
  Problem problem{512, 512, 512};
  const auto refusal = [&](ElementType type, const PlanFields& asked, Target target) {
    problem.input = problem.result = type;
    const auto plan = make_plan(problem, target, asked);
    return plan ? "" : plan.error();
  };
  for (const Target target : {Target::gfx90a, Target::gfx942, Target::gfx950})
    EXPECT_EQ(refusal(ElementType::f64, {.block_m = 64, .block_n = 256, .block_k = 64}, target),
              "a tile of B of 131072 bytes in LDS; accepted: at most 65536");
  EXPECT_EQ(
      refusal(ElementType::f32, {.block_m = 256, .block_n = 64, .block_k = 128}, Target::gfx950),
      "a tile of A of 131072 bytes in LDS; accepted: at most 65536");
  EXPECT_EQ(
      refusal(ElementType::f64, {.block_m = 128, .block_n = 128, .block_k = 64}, Target::gfx950),
      "");
}

}  // namespace copied_operand_test
}  // namespace heddle::plan
