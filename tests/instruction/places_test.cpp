// The matrix view equals, field by field, what AMD's matrix instruction calculator 1.3.2 printed.
#include "heddle/instruction/places.h"

#include <gtest/gtest.h>

#include "tests/instruction/amd_golden.h"

namespace heddle::instruction {
namespace {

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

}  // namespace
}  // namespace heddle::instruction
