#include "compiler/plan/matmul_planner.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tuple>

#include "tests/compiler/plan/random_problems.h"

namespace heddle::plan {
namespace matmul_planner_test {

using instruction::ElementType;
using instruction::Target;

RC_GTEST_PROP(MatmulPlanner, StaysWithinTheTarget, ()) {
  const Target target = property::any_target();
  const MatmulPlan plan = make_plan(property::any_problem(), target);
  const instruction::ProcessorRow& limits = instruction::row(target);
  RC_ASSERT(plan.shared_bytes > 0u);
  RC_ASSERT(plan.shared_bytes <= static_cast<std::uint32_t>(limits.shared_bytes));
  RC_ASSERT(plan.registers.total() + (plan.fragments_ahead ? plan.registers.fragments : 0) <=
            compiled_vgprs(target));
  RC_ASSERT(plan.instruction != nullptr);
  RC_ASSERT(plan.instruction->is_of(limits.family));
  RC_ASSERT(plan.instruction->wave == plan.tiles.lanes);
}

RC_GTEST_PROP(MatmulPlanner, EveryChoiceHasAReason, ()) {
  const MatmulPlan plan = make_plan(property::any_problem(), property::any_target());
  RC_ASSERT(plan.choices.size() >= 8u);
  for (const Choice& choice : plan.choices) {
    RC_ASSERT(!choice.what.empty());
    RC_ASSERT(!choice.value.empty());
    RC_ASSERT(choice.why.size() > 20u);
  }
}

// The promises for 512x512x512, on every target.
TEST(MatmulPlanner, LargeProductMeetsItsBudget) {
  for (const instruction::ProcessorRow& row : instruction::target_rows) {
    const MatmulPlan plan = make_plan({512, 512, 512}, row.target);
    const bool gfx11 = row.family == instruction::Family::gfx11;
    const double rows = plan.atoms_m() * plan.instruction->m;
    const double columns = plan.atoms_n() * plan.instruction->n;
    EXPECT_GE(rows * columns / ((rows + columns) / 2), 64.0) << row.name;
    const instruction::Instruction& by = *plan.instruction;
    const double per_4096 = plan.loads_per_instruction() * 4096 / (by.m * by.n * by.k);
    // Loads that transpose have 8 bytes instead of 16.
    const double wider = plan.a.transposing || plan.b.transposing ? 1.5 : 1.0;
    EXPECT_LE(per_4096, wider * (gfx11 ? 1.0 : by.wave == 64 ? 0.25 : 0.5)) << row.name;
    for (const OperandPlan* operand : {&plan.a, &plan.b}) {
      EXPECT_TRUE(operand->chosen.placement.is_optimal()) << row.name;
      EXPECT_EQ(operand->tile.access * operand->tile.element_bytes, 16) << row.name;
      EXPECT_EQ(operand->chosen.registers, 1) << row.name;
    }
    EXPECT_LE(2 * plan.shared_bytes, static_cast<std::uint32_t>(row.shared_bytes)) << row.name;
  }
}

// Of f32 that is two bf16 a tile of 256x256 with padding is larger than 64 KiB.
TEST(MatmulPlanner, LargeTilesOfTwoPartsFitLds) {
  for (const Target target : {Target::gfx90a, Target::gfx942, Target::gfx950}) {
    for (const int form : {0, 1, 2, 3}) {
      Problem problem{8192, 8192, 8192, ElementType::f32};
      problem.f32 = F32Path::bf16x3;
      problem.a.transposed = (form & 1) != 0;
      problem.b.transposed = (form & 2) != 0;
      const MatmulPlan plan = make_plan(problem, target);
      EXPECT_LE(plan.shared_bytes,
                static_cast<std::uint32_t>(instruction::row(target).shared_bytes));
      EXPECT_GE(plan.tiles.m * plan.tiles.n, 128 * 256);
    }
  }
}

TEST(MatmulPlanner, OneStepNeedsOneBuffer) {
  EXPECT_EQ(make_plan({42, 64, 32}, Target::gfx1151).tiles.stages, 1);
  EXPECT_EQ(make_plan({42, 64, 320}, Target::gfx1151).tiles.stages, 2);
  EXPECT_EQ(make_plan({512, 512, 512}, Target::gfx1201).tiles.stages, 1);
}

TEST(MatmulPlanner, NamesTheInstructionOfTheInputs) {
  EXPECT_EQ(make_plan({16, 16, 16}, Target::gfx1100).instruction->name, "v_wmma_f32_16x16x16_f16");
  EXPECT_EQ(make_plan({16, 16, 16, ElementType::bf16}, Target::gfx1201).instruction->name,
            "v_wmma_f32_16x16x16_bf16");
}

// Of CDNA's two shapes the large one, unless it computes much that D does not have.
TEST(MatmulPlanner, ChoosesTheShapeOfMfma) {
  const auto name_for = [](const Problem& problem, Target target) {
    return make_plan(problem, target).instruction->name;
  };
  using enum ElementType;
  EXPECT_EQ(name_for({512, 512, 512}, Target::gfx942), "v_mfma_f32_32x32x8_f16");
  EXPECT_EQ(name_for({512, 512, 512}, Target::gfx90a), "v_mfma_f32_32x32x8f16");
  EXPECT_EQ(name_for({512, 512, 512}, Target::gfx950), "v_mfma_f32_32x32x16_f16");
  EXPECT_EQ(name_for({16, 512, 512}, Target::gfx942), "v_mfma_f32_16x16x16_f16");
  EXPECT_EQ(name_for({512, 512, 512, bf16}, Target::gfx90a), "v_mfma_f32_32x32x8bf16_1k");
  EXPECT_EQ(name_for({512, 512, 512, f32}, Target::gfx942), "v_mfma_f32_32x32x2_f32");
  EXPECT_EQ(name_for({512, 512, 512, f64, f64}, Target::gfx942), "v_mfma_f64_16x16x4_f64");
  EXPECT_EQ(name_for({512, 512, 512, i8, i32}, Target::gfx942), "v_mfma_i32_32x32x16_i8");
  EXPECT_EQ(name_for({512, 512, 512, fp8_fnuz}, Target::gfx942), "v_mfma_f32_32x32x16_fp8_fp8");
  EXPECT_EQ(name_for({512, 512, 512, fp8}, Target::gfx950), "v_mfma_f32_32x32x64_f8f6f4");
  EXPECT_EQ(name_for({512, 512, 512, i32, i32}, Target::gfx942), "v_mul_lo_u32");
  EXPECT_EQ(name_for({512, 512, 512}, Target::gfx1250), "v_wmma_f32_16x16x32_f16");
  EXPECT_EQ(name_for({512, 512, 512, f32}, Target::gfx1250), "v_wmma_f32_16x16x4_f32");
  EXPECT_EQ(name_for({512, 512, 512, i8, i32}, Target::gfx1250), "v_wmma_i32_16x16x64_iu8");
  EXPECT_EQ(name_for({512, 512, 512, fp8}, Target::gfx1250), "v_wmma_f32_16x16x128_fp8_fp8");
}

// Shallow fragments of several instructions are one 16-byte load.
TEST(MatmulPlanner, FragmentsFillTheirLoads) {
  for (const auto& [target, type, pack] : {std::tuple(Target::gfx942, ElementType::f16, 2),
                                           {Target::gfx950, ElementType::f16, 1},
                                           {Target::gfx942, ElementType::f32, 4},
                                           {Target::gfx90a, ElementType::i8, 4},
                                           {Target::gfx1201, ElementType::i8, 2},
                                           {Target::gfx1151, ElementType::f16, 1}}) {
    const auto result = type == ElementType::i8 ? ElementType::i32 : ElementType::f32;
    const MatmulPlan plan = make_plan({512, 512, 512, type, result}, target);
    EXPECT_EQ(plan.pack, pack) << instruction::name(target);
    EXPECT_EQ(plan.a.chosen.load_elements() * plan.a.tile.element_bytes, 16);
  }
}

}  // namespace matmul_planner_test
}  // namespace heddle::plan
