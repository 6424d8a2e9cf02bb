#include "compiler/plan/operand_planner.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <vector>

#include "compiler/plan/matmul_planner.h"
#include "tests/compiler/plan/random_problems.h"

namespace heddle::plan {
namespace operand_planner_test {

// The way of a tile through LDS, access by access as instructions make them: staging writes the
// coordinates of its elements one after the other from the address of its first, fragments read
// them back the same way. Nothing is written twice with different elements, nothing is misaligned.
// Of loads that transpose, sixteen lanes of gfx950 read rows of sixteen elements, four lanes a row,
// and each gets a column (CDNA4 ISA, DS_READ_B64_TR_B16); of gfx1250 eight lanes read rows of
// eight, a lane each (docs/emulator.md).
void check_way_through_lds(const OperandPlan& operand, const SharedCandidate& candidate) {
  const layout::AxisList& outputs = operand.fragment.outputs();
  constexpr std::uint64_t nothing = ~std::uint64_t{0};
  std::vector<std::uint64_t> lds(
      candidate.placement.bytes / static_cast<unsigned>(operand.tile.element_bytes), nothing);
  const auto first_of = [&](const layout::LinearLayout& offsets, std::uint64_t input,
                            std::uint64_t width) {
    const std::uint64_t first = candidate.shared().place(offsets.apply(input / width * width));
    RC_ASSERT(first % width == 0u);
    return first;
  };
  const layout::LinearLayout& map = candidate.staging.map;
  const auto stored =
      static_cast<std::uint64_t>(operand.transposing ? operand.patch.rows : operand.patch.k);
  for (std::uint64_t input = 0; input >> map.input_bits() == 0; ++input) {
    const auto element = outputs.pack(map.outputs().unpack(map.apply(input))).value();
    std::uint64_t& place = lds.at(first_of(candidate.stores, input, stored) + input % stored);
    RC_ASSERT(place == nothing || place == element);
    place = element;
  }
  const auto loaded = static_cast<std::uint64_t>(candidate.load_elements());
  const layout::AxisList& inputs = operand.fragment.inputs();
  const int lane_at = inputs.offset(inputs.find("lane"));
  for (std::uint64_t input = 0; input >> operand.fragment.input_bits() == 0; ++input) {
    std::uint64_t from = input;  // the lane and the element that it reads
    if (operand.transposing) {
      const std::uint64_t lane = input >> lane_at & 15, row = input % loaded;
      const std::uint64_t reader =
          loaded == 4 ? row * 4 + lane / 4 : lane / 8 * 8 + row;  // 8: of gfx1250
      from = (input & ~(15ull << lane_at | (loaded - 1))) | reader << lane_at | lane % loaded;
    }
    RC_ASSERT(lds.at(first_of(candidate.loads, from, loaded) + from % loaded) ==
              operand.fragment.apply(input));
  }
}

void check_ways_through_lds(const MatmulPlan& plan) {
  for (const OperandPlan* operand : {&plan.a, &plan.b}) {
    check_way_through_lds(*operand, operand->chosen);
    for (const SharedCandidate& other : operand->others) check_way_through_lds(*operand, other);
  }
}

RC_GTEST_PROP(OperandPlanner, FragmentsReadWhatStagingWrote, ()) {
  check_ways_through_lds(make_plan(property::any_problem(), property::any_target()));
}

// Found by the property above: here a swizzle has the fewest passes that splits what a lane stores.
RC_GTEST_PROP(OperandPlanner, SplitStoresAreNoCandidates, ()) {
  check_ways_through_lds(make_plan({63, 18, 1}, instruction::Target::gfx1100));
}

// A lane's fragments are 16 bytes, but for a block as shallow as one product of CDNA2 and 3, where
// they are 8, and 16 rows of it that are stored by 16 bytes have no layout without conflicts.
MatmulPlan any_plan_of_wide_fragments() {
  const MatmulPlan plan = make_plan(property::any_problem(), property::any_target());
  const bool is_shallow = instruction::is_cdna(instruction::processor(plan.target).family) &&
                          plan.a.chosen.load_elements() == 4;
  RC_PRE(!is_shallow);
  return plan;
}

// Passes at the bound of all layouts: no conflict, and none could be spared by another width.
RC_GTEST_PROP(OperandPlanner, LoadsAreWideAndPlansAreOptimal, ()) {
  const MatmulPlan plan = any_plan_of_wide_fragments();
  for (const OperandPlan* operand : {&plan.a, &plan.b}) {
    const bool is_gfx950 = plan.target == instruction::Target::gfx950;
    RC_ASSERT(operand->chosen.load_elements() == (operand->transposing && is_gfx950 ? 4 : 8));
    RC_ASSERT(operand->chosen.store_cost().element_bits_log2 ==
              bits_of(operand->transposing ? operand->patch.rows : operand->patch.k));
    RC_ASSERT(operand->chosen.load_cost().instructions > 0u);
    RC_ASSERT(operand->chosen.load_cost().passes == operand->chosen.load_cost().ideal);
    RC_ASSERT(operand->chosen.store_cost().passes == operand->chosen.store_cost().ideal);
    RC_ASSERT(operand->chosen.placement.is_optimal());
    RC_ASSERT(operand->chosen.registers == 1);
    for (const SharedCandidate& other : operand->others)
      RC_ASSERT(operand->chosen.price() <= other.price());
  }
}

// Counted lane by lane with memory::cost over every access of every warp, as an independent sum.
RC_GTEST_PROP(OperandPlanner, NoAccessOfAnyWarpConflicts, ()) {
  const MatmulPlan plan = any_plan_of_wide_fragments();
  const auto model = memory::bank_model(plan.target);
  const auto lanes = static_cast<std::uint64_t>(model.wave);
  for (const OperandPlan* operand : {&plan.a, &plan.b}) {
    const SharedCandidate& chosen = operand->chosen;
    const int element_bytes = operand->tile.element_bytes;
    const auto check = [&](const layout::LinearLayout& offsets, memory::AccessKind kind,
                           int elements) {
      const int lane_at = offsets.inputs().offset(offsets.inputs().find("lane"));
      for (std::uint64_t input = 0; input >> offsets.input_bits() == 0; ++input) {
        if ((input >> lane_at & (lanes - 1)) != 0 || input % static_cast<unsigned>(elements) != 0)
          continue;
        std::vector<std::uint32_t> address(lanes);
        for (std::uint64_t lane = 0; lane < lanes; ++lane)
          address[lane] = static_cast<std::uint32_t>(
              chosen.shared().place(offsets.apply(input | lane << lane_at)) *
              static_cast<unsigned>(element_bytes));
        RC_ASSERT(
            memory::extra_passes(
                model, {.kind = kind, .bytes = elements * element_bytes, .address = address}) == 0);
      }
    };
    check(chosen.stores, memory::AccessKind::store,
          operand->transposing ? operand->patch.rows : operand->patch.k);
    check(chosen.loads, memory::AccessKind::load, chosen.load_elements());
  }
}

}  // namespace operand_planner_test
}  // namespace heddle::plan
