// The rules of the catalogue's instructions. What they compute,
// tests/emulator/ptx/sum_products_test.cpp compares with an H200.
#include "heddle/instruction/tensor_sums.h"

#include <gtest/gtest.h>

#include "heddle/instruction/catalogue.h"

namespace heddle::instruction {
namespace tensor_sums_test {

TensorSumRule rule_of(const Instruction& row, Family family) {
  return tensor_sum_rule(family, row.wave == 128, row.a_type, row.is_sparse() ? row.k / 2 : row.k);
}

// Each family and each multiply whose sums the simulator has.
void for_each(auto use) {
  for (const Instruction& row : all_instructions()) {
    if (!is_nvidia(row.family()) || row.kind != Kind::multiply || row.scale_a.registers > 0 ||
        bits(row.a_type) == 4 || bits(row.a_type) == 6 || row.d.storage == Storage::tensor_memory)
      continue;
    for (const FamilyRow& family : family_rows)
      if (row.is_of(family.family)) use(row, family.family);
  }
}

TEST(TensorSums, GroupsDivideTheTerms) {
  int rules = 0;
  for_each([&](const Instruction& row, Family family) {
    const TensorSumRule rule = rule_of(row, family);
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

// Only Hopper was recorded, and all of its floats were.
TEST(TensorSums, MeasuredIsHopper) {
  for_each([&](const Instruction& row, Family family) {
    const TensorSumRule rule = rule_of(row, family);
    if (rule.sum == TensorSum::exact) return;
    EXPECT_EQ(rule.evidence == Evidence::measured, family == Family::sm90)
        << row.name << " " << name(family);
  });
}

TEST(TensorSums, WhatDiffersBetweenProcessors) {
  using enum ElementType;
  const auto bits_of = [](Family family, ElementType type, int k) {
    return tensor_sum_rule(family, false, type, k).fraction_bits;
  };
  EXPECT_EQ(bits_of(Family::sm70, f16, 4), 23);
  EXPECT_EQ(bits_of(Family::sm75, f16, 8), 24);
  EXPECT_EQ(bits_of(Family::sm80, bf16, 16), 24);
  EXPECT_EQ(bits_of(Family::sm90, bf16, 16), 25);
  EXPECT_EQ(tensor_sum_rule(Family::sm80, false, f16, 16).group, 8);
  EXPECT_EQ(tensor_sum_rule(Family::sm90, false, f16, 16).group, 16);
  EXPECT_EQ(tensor_sum_rule(Family::sm89, false, bf8, 32).result_bits, 13);
  EXPECT_EQ(tensor_sum_rule(Family::sm90, true, bf8, 32).result_bits, 13);
  EXPECT_EQ(tensor_sum_rule(Family::sm90, false, bf8, 32).sum, TensorSum::halves);
  EXPECT_EQ(tensor_sum_rule(Family::sm100, false, fp8, 32).evidence, Evidence::assumed);
}

}  // namespace tensor_sums_test
}  // namespace heddle::instruction
