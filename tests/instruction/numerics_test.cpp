// Which instructions MMA-Sim has rules for, by its own list of names (microsoft/MMA-Sim, commit
// c785138, mmasim/isa/amd.py): these and no others are modelled. What the rules compute,
// tests/emulator/mfma_test.cpp compares.
#include "heddle/instruction/numerics.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "heddle/instruction/cdna_table.h"

namespace heddle::instruction {
namespace numerics_test {

const std::set<std::string> cdna1{
    "f32_32x32x2f32",  "f32_32x32x1f32",  "f32_16x16x4f32",  "f32_16x16x1f32",  "f32_4x4x1f32",
    "f32_32x32x8f16",  "f32_32x32x4f16",  "f32_16x16x16f16", "f32_16x16x4f16",  "f32_4x4x4f16",
    "f32_32x32x4bf16", "f32_32x32x2bf16", "f32_16x16x8bf16", "f32_16x16x2bf16", "f32_4x4x2bf16"};
const std::set<std::string> cdna2_adds{
    "f64_16x16x4f64",      "f64_4x4x4f64",       "f32_32x32x8bf16_1k", "f32_32x32x4bf16_1k",
    "f32_16x16x16bf16_1k", "f32_16x16x4bf16_1k", "f32_4x4x4bf16_1k"};
const std::set<std::string> cdna3{
    "f64_16x16x4_f64",      "f64_4x4x4_4b_f64",     "f32_32x32x1_2b_f32",   "f32_16x16x1_4b_f32",
    "f32_4x4x1_16b_f32",    "f32_32x32x2_f32",      "f32_16x16x4_f32",      "f32_16x16x8_xf32",
    "f32_32x32x4_xf32",     "f32_32x32x4_2b_f16",   "f32_16x16x4_4b_f16",   "f32_4x4x4_16b_f16",
    "f32_32x32x8_f16",      "f32_16x16x16_f16",     "f32_32x32x4_2b_bf16",  "f32_16x16x4_4b_bf16",
    "f32_4x4x4_16b_bf16",   "f32_32x32x8_bf16",     "f32_16x16x16_bf16",    "f32_16x16x32_bf8_bf8",
    "f32_16x16x32_bf8_fp8", "f32_16x16x32_fp8_bf8", "f32_16x16x32_fp8_fp8", "f32_32x32x16_bf8_bf8",
    "f32_32x32x16_bf8_fp8", "f32_32x32x16_fp8_bf8", "f32_32x32x16_fp8_fp8"};

bool is_listed(const Instruction& row) {
  const std::string_view prefix = "v_mfma_";
  if (!row.name.starts_with(prefix)) return false;
  const std::string name(row.name.substr(prefix.size()));
  switch (row.family()) {
    case Family::gfx908:
      return cdna1.contains(name);
    case Family::gfx90a:
      return cdna1.contains(name) || cdna2_adds.contains(name);
    case Family::gfx942:
      return cdna3.contains(name);
    default:
      return false;
  }
}

TEST(Numerics, ModelledIsWhatMmaSimHas) {
  std::size_t modelled = 0;
  for (const Instruction& row : cdna_instructions) {
    const SumRule rule = sum_rule(row);
    EXPECT_EQ(rule.evidence == Evidence::modelled, is_listed(row)) << row.name;
    EXPECT_EQ(rule.summation == Summation::exact, row.d_type == ElementType::i32) << row.name;
    EXPECT_EQ(rule.source.empty(), rule.evidence == Evidence::unknown) << row.name;
    modelled += rule.evidence == Evidence::modelled;
  }
  EXPECT_EQ(modelled, 2 * cdna1.size() + cdna2_adds.size() + cdna3.size());
}

// Groups divide the terms of a sum, and none is larger than what is published: 4 of CDNA1 and
// CDNA2, 16 of CDNA3.
TEST(Numerics, GroupsDivideTheTerms) {
  for (const Instruction& row : cdna_instructions) {
    const SumRule rule = sum_rule(row);
    const int terms = row.is_sparse() ? row.k / 2 : row.k;
    ASSERT_GT(rule.group, 0) << row.name;
    EXPECT_EQ(terms % rule.group, 0) << row.name;
    const bool early = row.is_of(Family::gfx908) || row.is_of(Family::gfx90a);
    EXPECT_LE(rule.group, early ? 4 : 16) << row.name;
    EXPECT_EQ(rule.flushes, row.is_of(Family::gfx90a) &&
                                (row.a_type == ElementType::f16 || row.a_type == ElementType::bf16))
        << row.name;
  }
}

// Sparse sums of CDNA3 follow the dense ones on trust; those of CDNA4 nobody describes.
TEST(Numerics, WhatIsNotPublishedSaysSo) {
  int assumed = 0, unknown = 0;
  for (const Instruction& row : cdna_instructions) {
    const SumRule rule = sum_rule(row);
    assumed += rule.evidence == Evidence::assumed;
    unknown += rule.evidence == Evidence::unknown;
    if (rule.evidence == Evidence::unknown) EXPECT_TRUE(row.is_of(Family::gfx950)) << row.name;
    if (rule.summation == Summation::blocks) EXPECT_TRUE(row.has(Operand::scale_a)) << row.name;
  }
  EXPECT_EQ(assumed, 12 + 7);
  EXPECT_GT(unknown, 0);
}

}  // namespace numerics_test
}  // namespace heddle::instruction
