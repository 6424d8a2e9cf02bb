#include "compiler/plan/warpgroup_plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "compiler/plan/warpgroup_planner.h"

namespace heddle::plan {

void showValue(const WarpgroupPlan& plan, std::ostream& out) {
  out << plan.block_m << "x" << plan.block_n << "x" << plan.block_k << " cluster " << plan.cluster_m
      << "x" << plan.cluster_n;
}

namespace warpgroup_plan_test {

using instruction::ElementType;
using instruction::Major;
using instruction::Operand;

WarpgroupPlan any_plan() {
  WarpgroupPlan plan;
  plan.problem.input =
      *rc::gen::element(ElementType::f16, ElementType::bf16, ElementType::i8, ElementType::u8);
  plan.block_m = *rc::gen::element(64, 128, 256);
  plan.block_n = *rc::gen::element(64, 80, 128, 144, 176, 192, 256);
  plan.problem.m = plan.block_m, plan.problem.n = plan.block_n;
  plan.block_k = *rc::gen::element(1, 2) * swizzled_line_bytes / plan.input_bytes();
  plan.consumers = plan.block_m % 128 == 0 ? *rc::gen::element(1, 2) : 1;
  plan.stages = 2;
  plan.cluster_m = 1;
  const bool halves = plan.input_bytes() == 2;
  plan.a_major = halves ? *rc::gen::element(Major::k, Major::mn) : Major::k;
  plan.b_major = halves ? *rc::gen::element(Major::k, Major::mn) : Major::k;
  return plan;
}

// Where a copy puts an element: boxes one after the other, lines of 128 bytes one after the other,
// 16-byte units of a line exchanged by its number (CUDA Driver API 13.0, "Tensor Map Object
// Management", CU_TENSOR_MAP_SWIZZLE_128B).
int copied_to(const WarpgroupPlan& plan, Operand operand, int mn, int k) {
  const CopyBox box = plan.copy_box(operand);
  const bool k_major = plan.panel(operand).major == Major::k;
  const int along = k_major ? k : mn, across = k_major ? mn : k;
  const int inside = along % box.line_elements * plan.input_bytes();
  const int unit = inside / 16 ^ across % 8;
  return (along / box.line_elements * box.lines + across) * swizzled_line_bytes + unit * 16 +
         inside % 16;
}

// Where wgmma reads it, from the words of PTX ISA 9.0, "Strides": of a k-major operand 8 rows are
// `stride` apart; of an mn-major one 64 rows are `leading` apart and 8 k `stride`.
int read_from(const instruction::MatrixDescriptor& descriptor, Major major, int mn, int k,
              int bytes) {
  const int start = static_cast<int>(descriptor.start_address);
  const int leading = static_cast<int>(descriptor.leading_bytes);
  const int stride = static_cast<int>(descriptor.stride_bytes);
  const int line = swizzled_line_bytes / bytes;
  const int at = major == Major::k
                     ? start + mn / 8 * stride + mn % 8 * swizzled_line_bytes + k * bytes
                     : start + mn / line * leading + k / 8 * stride + k % 8 * swizzled_line_bytes +
                           mn % line * bytes;
  return at ^ (at >> 7 & 7) << 4;
}

RC_GTEST_PROP(WarpgroupPlan, InstructionsReadWhatCopiesBring, ()) {
  const WarpgroupPlan plan = any_plan();
  for (const Operand operand : {Operand::a, Operand::b}) {
    const bool is_a = operand == Operand::a;
    const int rows = is_a ? wgmma_rows : plan.block_n;
    const Major major = plan.panel(operand).major;
    for (int first = 0; first < (is_a ? plan.block_m : plan.block_n); first += rows) {
      for (int k = 0; k < plan.block_k; k += plan.atom_k()) {
        const auto descriptor = plan.descriptor(operand, first, k);
        for (int row = 0; row < rows; ++row) {
          for (int i = 0; i < plan.atom_k(); ++i)
            RC_ASSERT(read_from(descriptor, major, row, i, plan.input_bytes()) ==
                      copied_to(plan, operand, first + row, k + i));
        }
      }
    }
  }
}

RC_GTEST_PROP(WarpgroupPlan, PartsOfAClusterMakeTheTile, ()) {
  WarpgroupPlan plan = any_plan();
  plan.cluster_m = *rc::gen::element(1, 2);
  plan.cluster_n = *rc::gen::element(1, 2);
  plan.blocks = 4;
  RC_PRE(refusal(plan).empty());
  for (const Operand operand : {Operand::a, Operand::b}) {
    const CopyBox box = plan.copy_box(operand);
    const int sharers = operand == Operand::a ? plan.cluster_n : plan.cluster_m;
    const int bytes = box.line_elements * plan.input_bytes() * box.lines * box.copies * sharers;
    RC_ASSERT(bytes == (operand == Operand::a ? plan.a_bytes() : plan.b_bytes()));
    RC_ASSERT(box.bytes_of_part % 1024 == 0);
  }
}

TEST(WarpgroupPlan, FewRowsAreCopiedAlone) {
  WarpgroupPlan plan;
  plan.problem = {.m = 3, .n = 1000, .k = 1000};
  plan.cluster_m = 1;
  EXPECT_EQ(plan.copy_box(Operand::a).lines, 3);
  EXPECT_EQ(plan.copied_bytes(), 3 * 128 + plan.b_bytes());
  plan.problem.dynamic = 1u << static_cast<unsigned>(Loop::m);
  EXPECT_EQ(plan.copied_bytes(), plan.stage_bytes());
}

TEST(WarpgroupPlan, ADescriptorOfTheFirstPlan) {
  const WarpgroupPlan plan;
  EXPECT_EQ(plan.descriptor(Operand::a, 64, 16).start_address, 64u * 128 + 32);
  EXPECT_EQ(plan.descriptor(Operand::b, 0, 16).start_address, 16u * 128);
  EXPECT_EQ(plan.descriptor(Operand::b, 0, 0).leading_bytes, 64u * 128);
}

}  // namespace warpgroup_plan_test
}  // namespace heddle::plan
