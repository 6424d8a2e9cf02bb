// The matrix view equals, field by field, what AMD's matrix instruction calculator 1.3.2 printed.
#include "heddle/instruction/places.h"

#include <gtest/gtest.h>

#include "tests/instruction/amd_golden.h"

namespace heddle::instruction {
namespace places_test {

void expect_same_fields(const char* file, Target target) {
  int count = 0;
  for (const test::AmdTable& table : test::amd_tables(file, target)) {
    SCOPED_TRACE(table.what());
    ASSERT_NE(table.row, nullptr);
    const Places result = places(*table.row, table.operand);
    EXPECT_EQ(result.rows, table.rows);
    EXPECT_EQ(result.cols, table.cols);
    EXPECT_EQ(result.blocks, table.blocks);
    EXPECT_EQ(result.bits, table.bits);
    EXPECT_EQ(result.reg, table.reg);
    EXPECT_EQ(result.lane, table.lane);
    EXPECT_EQ(result.bit, table.bit);
    EXPECT_EQ(result.lane_copies, table.lane_copies);
    ++count;
  }
  EXPECT_GT(count, 30);
}

TEST(Places, EqualTheCalculatorsTablesOfRdna3) {
  expect_same_fields("amd_rdna3.json.gz", Target::gfx1100);
}

TEST(Places, EqualTheCalculatorsTablesOfRdna4) {
  expect_same_fields("amd_rdna4.json.gz", Target::gfx1200);
}

TEST(Places, EqualTheCalculatorsTablesOfCdna) {
  expect_same_fields("amd_cdna1.json.gz", Target::gfx908);
  expect_same_fields("amd_cdna2.json.gz", Target::gfx90a);
  expect_same_fields("amd_cdna3.json.gz", Target::gfx942);
}

// k order contiguous: lane 16 of gfx12 begins at k = 8 instead of 4.
TEST(Places, FollowTheKOrder) {
  const Instruction& wmma = *find("v_wmma_f32_16x16x16_f16", Target::gfx1201);
  EXPECT_EQ(places(wmma, Operand::a).lane[4], 16);
  EXPECT_EQ(places(wmma, Operand::a, KOrder::contiguous).lane[4], 0);
  EXPECT_EQ(places(wmma, Operand::a, KOrder::contiguous).lane[8], 16);
}

// Element e of a lane is 6 bits from bit 6 * e of its 6 registers on, and may begin in one register
// and end in the next.
TEST(Places, OfSixBitsCrossRegisters) {
  const Instruction row = *with_formats(*find("v_mfma_f32_16x16x128_f8f6f4", Target::gfx950), 2, 3);
  const Places a = places(row, Operand::a);
  int crossing = 0;
  for (int k = 0; k < 128; ++k) {
    const auto at = static_cast<std::size_t>(3 * 128 + k);
    EXPECT_EQ(32 * a.reg[at] + a.bit[at], 6 * (k % 32));
    EXPECT_EQ(a.lane[at], 3 + 16 * (k / 32));
    crossing += a.bit[at] + a.bits > 32;
  }
  EXPECT_EQ(a.bits, 6);
  EXPECT_EQ(crossing, 4 * 4);
}

// All 32 k of a scale have its place; which of four bytes is a matter of the selector.
TEST(Places, OfScalesAreThoseOfTheirK) {
  const Instruction& row = *find("v_mfma_scale_f32_32x32x64_f8f6f4", Target::gfx950);
  for (int selector = 0; selector < 4; ++selector) {
    const Places a = places(row, Operand::scale_a, KOrder::isa, selector);
    const Places b = places(row, Operand::scale_b, KOrder::isa, selector);
    ASSERT_EQ(a.rows, 32);
    ASSERT_EQ(a.cols, 64);
    ASSERT_EQ(b.rows, 64);
    for (int m = 0; m < 32; ++m)
      for (int k = 0; k < 64; ++k) {
        const auto at = static_cast<std::size_t>(m * 64 + k);
        EXPECT_EQ(a.lane[at], m + 32 * (k / 32));
        EXPECT_EQ(a.bit[at], 8 * selector);
        EXPECT_EQ(b.lane[static_cast<std::size_t>(k * 32 + m)], a.lane[at]);
      }
  }
}

// Half of the lanes of gfx1250 have the scales that an instruction reads, a register four of them.
TEST(Places, OfScalesInHalfOfTheLanes) {
  const Instruction& row = *find("v_wmma_scale16_f32_16x16x128_f8f6f4", Target::gfx1250);
  const Places upper = places(row, Operand::scale_a, KOrder::isa, 1);
  EXPECT_EQ(upper.lane[0], 16);
  EXPECT_EQ(upper.reg[16 * 5], 1);
  EXPECT_EQ(upper.bit[16 * 5], 8);
}

}  // namespace places_test
}  // namespace heddle::instruction
