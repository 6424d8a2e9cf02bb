#include "heddle/instruction/instruction.h"

#include <gtest/gtest.h>

#include "heddle/instruction/catalogue.h"

namespace heddle::instruction {
namespace instruction_test {

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

TEST(Instruction, CMayBeOfAnotherTypeThanD) {
  const Instruction& row = *find("v_wmma_bf16f32_16x16x32_bf16", Target::gfx1250);
  EXPECT_EQ(row.type(Operand::d), ElementType::bf16);
  EXPECT_EQ(row.type(Operand::c), ElementType::f32);
  EXPECT_EQ(row.map(Operand::d).registers, 4);
  EXPECT_EQ(row.map(Operand::c).registers, 8);
}

TEST(Instruction, FormatsChooseTypesAndRegisters) {
  const Instruction& row = *find("v_mfma_f32_32x32x64_f8f6f4", Target::gfx950);
  const Instruction mixed = *with_formats(row, 2, 4);
  EXPECT_EQ(mixed.a_type, ElementType::fp6);
  EXPECT_EQ(mixed.b_type, ElementType::fp4);
  EXPECT_EQ(mixed.a.registers, 6);
  EXPECT_EQ(mixed.b.registers, 4);
  EXPECT_EQ(mixed.d.registers, row.d.registers);
  EXPECT_FALSE(with_formats(row, 5, 0).has_value());
  EXPECT_FALSE(with_formats(row, 0, -1).has_value());
  EXPECT_FALSE(with_formats(dense, 0, 1).has_value());
  EXPECT_EQ(with_formats(dense, 0, 0)->name, dense.name);
}

// Only gfx11 keeps copies; every WMMA needs all lanes; CDNA has rules for its two register files.
// (Loads that transpose: transpose_load_table_test.cpp.)
TEST(Instruction, Constraints) {
  for (const Instruction& row : all_instructions()) {
    if (row.kind == Kind::load && !is_nvidia(row.family())) continue;
    const bool rdna = is_rdna(row.family());
    EXPECT_EQ(row.has(Constraint::exec_all_ones), rdna) << row.name;
    EXPECT_EQ(row.has(Constraint::accumulation_registers), row.family() == Family::gfx908);
    EXPECT_EQ(row.has(Constraint::even_tuples),
              is_cdna(row.family()) && row.family() != Family::gfx908);
    EXPECT_EQ(row.has(Constraint::even_registers), row.family() == Family::gfx1250) << row.name;
    const bool copied = row.family() == Family::gfx11 || row.name.starts_with("tcgen05.mma");
    EXPECT_TRUE(copied || !row.has(Constraint::equal_copies)) << row.name;
    EXPECT_TRUE(row.family() != Family::gfx11 || row.has(Constraint::equal_copies)) << row.name;
    EXPECT_EQ(row.has(Constraint::converged_warp), is_nvidia(row.family()) && row.wave == 32);
  }
}

TEST(Instruction, WitnessesOfTheMapAreCounted) {
  const Instruction& four = *find("v_wmma_f32_16x16x16_f16", Target::gfx1151);
  EXPECT_EQ(four.map_witnesses(),
            4);  // the calculator, TileLang, IREE, rocjitsu; LLVM has no places
  EXPECT_EQ(find("v_mfma_f32_32x32x1f32", Target::gfx908)->map_witnesses(), 1);
  EXPECT_EQ(find("v_swmmac_bf16f32_16x16x64_bf16", Target::gfx1250)->map_witnesses(), 0);
}

TEST(Instruction, NamesOfOperands) {
  EXPECT_EQ(name(Operand::a), "A");
  EXPECT_EQ(name(Operand::index), "K");
}

}  // namespace instruction_test
}  // namespace heddle::instruction
