// The rules of the catalogue's instructions. What they compute,
// tests/emulator/ptx/sum_products_test.cpp compares with an H200.
#include "heddle/instruction/tensor_sums.h"

#include <gtest/gtest.h>

#include "heddle/instruction/catalogue.h"

namespace heddle::instruction {
namespace tensor_sums_test {

// Each product of NVIDIA, on each family that has it.
void for_each(auto use) {
  for (const Instruction& row : all_instructions()) {
    if (!is_nvidia(row.family()) || row.kind != Kind::multiply) continue;
    for (const FamilyRow& family : family_rows)
      if (row.is_of(family.family)) use(row, family.family);
  }
}

TEST(TensorSums, GroupsDivideTheTerms) {
  int rules = 0;
  for_each([&](const Instruction& row, Family family) {
    const TensorSumRule rule = tensor_sum_rule(row, family);
    ++rules;
    EXPECT_EQ(rule.sum == TensorSum::exact, is_integer(row.a_type) || row.a_type == ElementType::b1)
        << row.name;
    EXPECT_EQ(rule.sum == TensorSum::chain, row.a_type == ElementType::f64) << row.name;
    EXPECT_FALSE(rule.source.empty()) << row.name;
    if (rule.sum != TensorSum::fused && rule.sum != TensorSum::halves) return;
    const int terms = row.is_sparse() ? row.k / 2 : row.k;
    ASSERT_GT(rule.group, 0) << row.name;
    EXPECT_EQ(terms % rule.group, 0) << row.name;
    EXPECT_LE(rule.group, 64) << row.name;
  });
  EXPECT_GT(rules, 100);
}

// Only Hopper was recorded, and all of its floats were, but for those whose C and D differ.
TEST(TensorSums, MeasuredIsHopper) {
  for_each([&](const Instruction& row, Family family) {
    const TensorSumRule rule = tensor_sum_rule(row, family);
    if (rule.sum == TensorSum::exact) return;
    const bool is_mixed = row.type(Operand::c) != row.d_type;
    EXPECT_EQ(rule.evidence == Evidence::measured, family == Family::sm90 && !is_mixed)
        << row.name << " " << name(family);
  });
}

TEST(TensorSums, WhatDiffersBetweenProcessors) {
  using enum ElementType;
  const auto rule = [](Family family, TensorUnit unit, ElementType type, int k,
                       bool has_scales = false) {
    return tensor_sum_rule({family, unit, type, type, k, false, has_scales});
  };
  constexpr TensorUnit mma = TensorUnit::mma, wgmma = TensorUnit::wgmma;
  constexpr TensorUnit tcgen05 = TensorUnit::tcgen05;
  EXPECT_EQ(rule(Family::sm70, mma, f16, 4).fraction_bits, 23);
  EXPECT_EQ(rule(Family::sm75, mma, f16, 8).fraction_bits, 24);
  EXPECT_EQ(rule(Family::sm80, mma, bf16, 16).fraction_bits, 24);
  EXPECT_EQ(rule(Family::sm90, mma, bf16, 16).fraction_bits, 25);
  EXPECT_EQ(rule(Family::sm80, mma, f16, 16).group, 8);
  EXPECT_EQ(rule(Family::sm90, mma, f16, 16).group, 16);
  EXPECT_EQ(rule(Family::sm89, mma, bf8, 32).result_bits, 13);
  EXPECT_EQ(rule(Family::sm90, wgmma, bf8, 32).result_bits, 13);
  EXPECT_EQ(rule(Family::sm90, mma, bf8, 32).sum, TensorSum::halves);
  EXPECT_EQ(rule(Family::sm100, mma, fp8, 32).evidence, Evidence::assumed);
  EXPECT_EQ(rule(Family::sm100, tcgen05, fp8, 32).result_bits, 23);
  EXPECT_EQ(rule(Family::sm100, tcgen05, fp4, 64, true).fraction_bits, 35);
  EXPECT_EQ(rule(Family::sm120, mma, fp4, 64, true).sum, TensorSum::runs);
  EXPECT_EQ(rule(Family::sm120, mma, fp4, 32).sum, TensorSum::fused);
  EXPECT_EQ(rule(Family::sm120, mma, fp4, 32).evidence, Evidence::modelled);
  EXPECT_EQ(rule(Family::sm120, mma, fp6, 32).evidence, Evidence::assumed);
}

}  // namespace tensor_sums_test
}  // namespace heddle::instruction
