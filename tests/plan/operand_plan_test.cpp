#include "heddle/plan/operand_plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "heddle/instruction/catalogue.h"
#include "heddle/plan/matmul_plan.h"
#include "random_problems.h"

namespace heddle::plan {
namespace {

using instruction::Target;

// The way of a tile through LDS, element by element: staging writes the element's coordinates to
// the address of its store, fragments read them back from the address of their load.
void check_way_through_lds(const OperandPlan& operand) {
  const SharedCandidate& chosen = operand.chosen;
  const layout::AxisList& outputs = operand.fragment.outputs();
  constexpr std::uint64_t nothing = ~std::uint64_t{0};
  std::vector<std::uint64_t> lds(chosen.shared.bytes(), nothing);
  const layout::LinearLayout& map = chosen.staging.map;
  for (std::uint64_t input = 0; input >> map.input_bits() == 0; ++input) {
    const auto place = map.outputs().unpack(map.apply(input));
    lds.at(chosen.shared.address(chosen.staging.offsets.apply(input))) =
        outputs.pack(place).value();
  }
  for (std::uint64_t input = 0; input >> operand.fragment.input_bits() == 0; ++input) {
    RC_ASSERT(lds.at(chosen.shared.address(chosen.loads.apply(input))) ==
              operand.fragment.apply(input));
  }
}

RC_GTEST_PROP(OperandPlan, FragmentsReadWhatStagingWrote, ()) {
  const MatmulPlan plan = make_plan(property::any_problem(), property::any_target());
  check_way_through_lds(plan.a);
  check_way_through_lds(plan.b);
}

RC_GTEST_PROP(OperandPlan, FragmentLoadsAreWideAndWithoutConflicts, ()) {
  const MatmulPlan plan = make_plan(property::any_problem(), property::any_target());
  for (const OperandPlan* operand : {&plan.a, &plan.b}) {
    RC_ASSERT(operand->chosen.load_elements == 8);
    RC_ASSERT(operand->chosen.load_cost.accesses > 0);
    RC_ASSERT(operand->chosen.load_cost.extra_passes == 0);
    for (const SharedCandidate& other : operand->others)
      if (other.staging.stores.accesses > 0) RC_ASSERT(operand->chosen.price() <= other.price());
    for (const SharedCandidate& other : operand->others)
      RC_ASSERT(operand->chosen.load_price() <= other.load_price());
  }
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
    const auto atom_a = instruction::fragment(*plan.wmma, instruction::Operand::a, plan.k_order);
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

}  // namespace
}  // namespace heddle::plan
