#include "heddle/instruction/instruction.h"

#include <gtest/gtest.h>

#include "heddle/instruction/catalogue.h"

namespace heddle::instruction {
namespace {

const Instruction& dense = *find("v_wmma_f32_16x16x16_fp8_bf8", Target::gfx1200);
const Instruction& sparse = *find("v_swmmac_f32_16x16x32_fp8_bf8", Target::gfx1200);

TEST(Instruction, CHasTheMapOfD) { EXPECT_EQ(&dense.map(Operand::c), &dense.map(Operand::d)); }

TEST(Instruction, OnlySparseOnesHaveAnIndex) {
  EXPECT_FALSE(dense.has(Operand::index));
  EXPECT_TRUE(sparse.has(Operand::index));
  EXPECT_TRUE(dense.has(Operand::c));
}

TEST(Instruction, TypesFollowTheOperand) {
  EXPECT_EQ(dense.type(Operand::a), ElementType::fp8);
  EXPECT_EQ(dense.type(Operand::b), ElementType::bf8);
  EXPECT_EQ(dense.type(Operand::c), ElementType::f32);
  EXPECT_EQ(sparse.type(Operand::index), ElementType::fp8);
}

// Only gfx11 keeps copies; every WMMA needs all lanes; CDNA has rules for its two register files.
TEST(Instruction, Constraints) {
  for (const Instruction& row : all_instructions()) {
    const bool rdna = is_rdna(row.family());
    EXPECT_EQ(row.has(Constraint::exec_all_ones), rdna) << row.name;
    EXPECT_EQ(row.has(Constraint::accumulation_registers), row.family() == Family::gfx908);
    EXPECT_EQ(row.has(Constraint::even_tuples),
              is_cdna(row.family()) && row.family() != Family::gfx908);
    const bool copied = row.family() == Family::gfx11 || row.name.starts_with("tcgen05.mma");
    EXPECT_TRUE(copied || !row.has(Constraint::equal_copies)) << row.name;
    EXPECT_TRUE(row.family() != Family::gfx11 || row.has(Constraint::equal_copies)) << row.name;
    EXPECT_EQ(row.has(Constraint::converged_warp), is_nvidia(row.family()) && row.wave == 32);
  }
}

TEST(Instruction, WitnessesOfTheMapAreCounted) {
  const Instruction& two = *find("v_wmma_f32_16x16x16_f16", Target::gfx1151);
  EXPECT_EQ(two.map_witnesses(), 2);  // the calculator and TileLang; LLVM knows no places
  EXPECT_EQ(find("v_wmma_i32_16x16x16_iu8", Target::gfx1151)->map_witnesses(), 1);
}

TEST(Instruction, NamesOfOperands) {
  EXPECT_EQ(name(Operand::a), "A");
  EXPECT_EQ(name(Operand::index), "K");
}

}  // namespace
}  // namespace heddle::instruction
