// Every choice of the planner, taken apart: maps that reach every element once, copies that stay in
// lines, fetches that read what the instruction needs.
#include "compiler/plan/mma_planner.h"

#include <gtest/gtest.h>

#include <set>

#include "compiler/plan/fma_atom.h"
#include "compiler/plan/mma_plan.h"
#include "compiler/plan/mma_tiles.h"

namespace heddle::plan {
namespace mma_planner_test {

using instruction::ElementType;
using instruction::Operand;
using instruction::Target;

MmaRequest request(ElementType type, std::int64_t size, bool a_k_contiguous, bool b_k_contiguous,
                   Target target = Target::sm_90) {
  MmaRequest asked{.problem = {.m = size, .n = size, .k = size, .input = type}, .target = target};
  asked.multiply = asked.multiply_b = type;
  asked.problem.a.transposed = !a_k_contiguous;
  asked.problem.b.transposed = b_k_contiguous;
  const std::int64_t bytes = size * instruction::bits(type) / 8;
  asked.a_alignment = asked.b_alignment =
      static_cast<int>(std::min<std::int64_t>(bytes & -bytes, 16));
  return asked;
}

void expect_complete(const MmaOperandPlan& operand) {
  const auto tile =
      static_cast<std::uint64_t>(operand.rows) * static_cast<std::uint64_t>(operand.k);
  for (const layout::LinearLayout& map : {operand.staging, operand.fragment})
    EXPECT_EQ(std::uint64_t{1} << layout::rank(map), tile);
  EXPECT_GE(operand.placement.bytes, tile * static_cast<std::uint64_t>(operand.element_bits()) / 8);
}

// What lane l receives in register r of an ldmatrix is in the row whose address lane 8 * (r's
// matrix)
// + row gives: the fragment says where it has to be.
void expect_fetches(const MmaOperandPlan& operand) {
  if (!is_matrix(operand.move)) return;
  const layout::LinearLayout to_offset = layout::invert(operand.shared().map).value();
  const layout::AxisList& in = operand.fragment.inputs();
  const int element_bits = in.bits_of("element");
  const std::uint64_t registers = in.size_of("register");
  const int row_elements = 128 / operand.element_bits();
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    for (std::uint64_t at = 0; at < registers * in.size_of("atom"); ++at) {
      const std::uint64_t fetch = at / static_cast<std::uint64_t>(operand.fetched_registers);
      const std::uint64_t matrix = at % static_cast<std::uint64_t>(operand.fetched_registers);
      for (std::uint64_t element = 0; element >> element_bits == 0; ++element) {
        const auto place = operand.fragment
                               .apply({{"element", element},
                                       {"register", at % registers},
                                       {"lane", lane},
                                       {"atom", at / registers}})
                               .value();
        const auto wanted = to_offset.apply(place).value().at("offset");
        const std::uint64_t column = lane % 4 * (1u << element_bits) + element;
        const bool trans = is_transposed(operand.move);
        const std::uint64_t row = trans ? column : lane / 4;
        const std::uint64_t inside = trans ? lane / 4 : column;
        const auto address =
            operand.loads.apply({{"fetch", fetch}, {"k_atom", 0}, {"lane", matrix * 8 + row}})
                .value()
                .at("offset");
        EXPECT_EQ(address + inside, wanted) << lane << " " << at << " " << element;
        EXPECT_EQ(address % static_cast<std::uint64_t>(row_elements), 0u);
      }
    }
  }
}

TEST(MmaPlanner, EveryPlanIsComplete) {
  for (const ElementType type : {ElementType::f16, ElementType::bf16, ElementType::xf32,
                                 ElementType::i8, ElementType::f32, ElementType::f64}) {
    for (const int form : {0, 1, 2, 3}) {
      for (const std::int64_t size : {1, 42, 129, 1024}) {
        const auto plan = make_mma_plan(request(type, size, (form & 1) != 0, (form & 2) != 0));
        ASSERT_TRUE(plan) << plan.error();
        expect_complete(plan->a);
        expect_complete(plan->b);
        expect_fetches(plan->a);
        expect_fetches(plan->b);
        EXPECT_LE(plan->shared_bytes, instruction::processor(Target::sm_90).shared_bytes);
        EXPECT_EQ(
            std::uint64_t{1} << layout::rank(plan->result),
            static_cast<std::uint64_t>(plan->tiles.m) * static_cast<std::uint64_t>(plan->tiles.n));
      }
    }
  }
}

TEST(MmaPlanner, LargeHalfProductsHaveNoConflicts) {
  for (const Target target : {Target::sm_80, Target::sm_89, Target::sm_90}) {
    const auto plan = make_mma_plan(request(ElementType::f16, 4096, true, false, target));
    ASSERT_TRUE(plan) << plan.error();
    EXPECT_EQ(plan->a.move, Move::ldmatrix);
    EXPECT_EQ(plan->b.move, Move::ldmatrix_transposed);
    for (const MmaOperandPlan* operand : {&plan->a, &plan->b}) {
      EXPECT_TRUE(operand->placement.is_optimal());
      // The lanes that copy 128 bytes of one row write one line of shared memory.
      std::set<std::uint64_t> lines;
      for (std::uint64_t lane = 0; lane < 8; ++lane)
        lines.insert(operand->stores.apply({{"lane", lane}}).value().at("offset") / 64);
      EXPECT_EQ(lines.size(), 1u);
    }
  }
}

TEST(MmaPlanner, WhatIsAskedForIsKept) {
  MmaRequest asked = request(ElementType::f16, 512, true, false);
  asked.asked = {.m = 64, .n = 128, .k = 32, .warps_m = 2, .warps_n = 2, .stages = 5, .group = 3};
  asked.asked.split_k = 2;
  const auto plan = make_mma_plan(asked);
  ASSERT_TRUE(plan) << plan.error();
  asked.asked.blocks = 8 * 4;
  EXPECT_EQ(plan->tiles, asked.asked);
  EXPECT_TRUE(plan->has_one_tile_each());
  asked.asked.split_k = 1;
  asked.asked.blocks = 5;
  const auto fewer = make_mma_plan(asked);
  ASSERT_TRUE(fewer) << fewer.error();
  EXPECT_EQ(fewer->tiles, asked.asked);
  EXPECT_EQ(blocks(fewer->grid(), fewer->problem)[0], 5u);
  asked.asked.stages = 20;
  EXPECT_FALSE(make_mma_plan(asked));
}

}  // namespace mma_planner_test
}  // namespace heddle::plan
