#include "heddle/plan/matmul_planner.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "random_problems.h"

namespace heddle::plan {
namespace {

using instruction::ElementType;
using instruction::Target;

RC_GTEST_PROP(MatmulPlanner, StaysWithinTheTarget, ()) {
  const Target target = property::any_target();
  const MatmulPlan plan = make_plan(property::any_problem(), target);
  const instruction::ProcessorRow& limits = instruction::row(target);
  RC_ASSERT(plan.shared_bytes > 0u);
  RC_ASSERT(plan.shared_bytes <= static_cast<std::uint32_t>(limits.shared_bytes));
  RC_ASSERT(plan.registers.total() <= limits.max_vgprs);
  RC_ASSERT(plan.instruction != nullptr);
  RC_ASSERT(plan.instruction->family() == limits.family);
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
    const double pairs = (plan.atoms_m() + plan.atoms_n()) / 2.0;
    EXPECT_GE(plan.atoms_m() * plan.atoms_n() / pairs, 4.0) << row.name;
    EXPECT_LE(plan.loads_per_wmma(), gfx11 ? 1.0 : 0.5) << row.name;
    for (const OperandPlan* operand : {&plan.a, &plan.b}) {
      EXPECT_TRUE(operand->chosen.placement.is_optimal()) << row.name;
      EXPECT_EQ(operand->tile.access * operand->tile.element_bytes, 16) << row.name;
      EXPECT_EQ(operand->chosen.registers, 1) << row.name;
    }
    EXPECT_LE(2 * plan.shared_bytes, static_cast<std::uint32_t>(row.shared_bytes)) << row.name;
  }
}

TEST(MatmulPlanner, OneStepNeedsOneBuffer) {
  EXPECT_EQ(make_plan({42, 64, 32}, Target::gfx1151).tiles.stages, 1);
  EXPECT_EQ(make_plan({42, 64, 320}, Target::gfx1151).tiles.stages, 2);
  EXPECT_EQ(make_plan({512, 512, 512}, Target::gfx1151).tiles.stages, 1);
}

TEST(MatmulPlanner, NamesTheInstructionOfTheInputs) {
  EXPECT_EQ(make_plan({16, 16, 16}, Target::gfx1100).instruction->name, "v_wmma_f32_16x16x16_f16");
  EXPECT_EQ(make_plan({16, 16, 16, ElementType::bf16}, Target::gfx1201).instruction->name,
            "v_wmma_f32_16x16x16_bf16");
}

}  // namespace
}  // namespace heddle::plan
