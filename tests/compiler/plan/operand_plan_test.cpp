#include "compiler/plan/operand_plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "compiler/plan/matmul_planner.h"
#include "heddle/instruction/catalogue.h"
#include "tests/compiler/plan/random_problems.h"

namespace heddle::plan {
namespace operand_plan_test {

using instruction::Target;

// An address of a constant part of an offset and one of a lane's part: the first is an immediate
// where the parts share no bit.
RC_GTEST_PROP(OperandPlan, BasesAreTheWaysInWhichConstantsFlipLaneBits, ()) {
  const int lane_bits = 5, register_bits = 3;
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < lane_bits + register_bits; ++bit)
    bases[static_cast<std::size_t>(bit)] = *rc::gen::inRange<std::uint64_t>(0, 256);
  const auto offsets =
      layout::LinearLayout::from_words({{"register", register_bits}, {"lane", lane_bits}},
                                       {{"offset", 8}}, bases)
          .value();
  std::uint64_t moving = 0;
  for (std::uint64_t lane = 0; lane < 32; ++lane) moving |= offsets.apply(lane << register_bits);
  std::set<std::uint64_t> patterns;
  for (std::uint64_t number = 0; number >> register_bits == 0; ++number)
    patterns.insert(offsets.apply(number) & moving);
  RC_ASSERT(static_cast<std::size_t>(base_registers(offsets)) == patterns.size());
}

// Over the whole block, the atoms of all warps tile the rows and the k of the tile.
RC_GTEST_PROP(OperandPlan, FragmentsCoverTheTile, ()) {
  const MatmulPlan plan = make_plan(property::any_problem(), property::any_target());
  for (const OperandPlan* operand : {&plan.a, &plan.b}) {
    RC_ASSERT(layout::is_surjective(operand->fragment));
    RC_ASSERT(operand->fragment.output_size(operand->tile.row) ==
              static_cast<std::uint64_t>(operand->tile.rows));
    RC_ASSERT(operand->fragment.output_size("k") == static_cast<std::uint64_t>(operand->tile.k));
  }
}

// The first atom of the first warp is the catalogue's fragment.
TEST(OperandPlan, BeginsWithTheFragmentOfTheInstruction) {
  for (const Target target : {Target::gfx1151, Target::gfx1201}) {
    const MatmulPlan plan = make_plan({512, 512, 512}, target);
    const auto atom_a =
        instruction::fragment(*plan.instruction, instruction::Operand::a, plan.k_order);
    for (std::uint64_t input = 0; input >> atom_a.input_bits() == 0; ++input) {
      const auto at = atom_a.inputs().unpack(input);
      const auto whole = plan.a.fragment.apply(at).value();
      const auto part = atom_a.outputs().unpack(atom_a.apply(input));
      EXPECT_EQ(whole.at("m"), part.at("m"));
      EXPECT_EQ(whole.at("k"), part.at("k"));
    }
  }
}

// A's rows depend on the high warp bits only, B's columns on the low ones.
TEST(OperandPlan, WarpsShareFragmentsAlongTheOtherSide) {
  const MatmulPlan plan = make_plan({512, 512, 512}, Target::gfx1151);
  EXPECT_EQ(plan.a.fragment.basis("warp", 0, "m"), 0u);
  EXPECT_EQ(plan.a.fragment.basis("warp", 1, "m"), 64u);
  EXPECT_EQ(plan.b.fragment.basis("warp", 0, "n"), 64u);
  EXPECT_EQ(plan.b.fragment.basis("warp", 1, "n"), 0u);
}

}  // namespace operand_plan_test
}  // namespace heddle::plan
