// mma.sync against the document and CUTLASS. tests/instruction/mma_intrinsic_test.cpp puts every
// row to LLVM.
#include "heddle/instruction/mma_table.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "heddle/instruction/catalogue.h"
#include "tests/instruction/mma_document.h"

namespace heddle::instruction {
namespace {

using layout::LinearLayout;

std::string what(const Instruction& row, Operand operand) {
  return std::string(row.name) + " " + std::string(name(operand));
}

/// Calls `check(row, operand)` with each operand in registers of each mma.sync.
void for_each_operand(auto&& check) {
  int count = 0;
  for (const Instruction& row : mma_instructions)
    for (const Operand operand : all_operands) {
      if (!row.has(operand)) continue;
      SCOPED_TRACE(what(row, operand));
      check(row, operand);
      ++count;
    }
  ASSERT_GT(count, 250) << "the harness ran next to nothing";
}

/// Row, column and block of the position that begins at bit `position` * width of a lane's
/// registers.
std::array<int, 3> element_at(const LinearLayout& map, int lane, int position, int positions) {
  const layout::Coordinates at =
      map.outputs().unpack(map.apply(static_cast<std::uint64_t>(lane * positions + position)));
  return {static_cast<int>(at[0].value), static_cast<int>(at[1].value),
          static_cast<int>(at.at_or("block", 0))};
}

TEST(MmaDocument, EveryDenseMapIsTheDocumentsFormula) {
  int compared = 0;
  for_each_operand([&](const Instruction& row, Operand operand) {
    if (row.is_sparse() || operand > Operand::d) return;
    const test::Fragment formula = test::mma_formula(row, operand);
    ASSERT_NE(formula, nullptr);
    const LinearLayout map = fragment(row, operand);
    const int positions = elements_per_lane(row, operand);
    ASSERT_EQ(positions * row.map(operand).bits, row.map(operand).registers * 32);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < positions; ++i) {
        const test::RowColumn wanted = formula(lane, i);
        const int block = row.blocks == 4 ? test::ptx::computation_of(lane) : 0;
        ASSERT_EQ(element_at(map, lane, i, positions),
                  (std::array{wanted.row, wanted.column, block}))
            << "lane " << lane << " element " << i;
      }
    ++compared;
  });
  EXPECT_EQ(compared, 70 * 4);
}

TEST(MmaTable, NamesAndIntrinsicsAreUnique) {
  std::set<std::string_view> names, intrinsics;
  for (const Instruction& row : mma_instructions) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    if (!row.intrinsic.empty()) {
      EXPECT_TRUE(intrinsics.insert(row.intrinsic).second) << row.intrinsic;
    }
  }
  EXPECT_TRUE(names.contains("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"));
  EXPECT_TRUE(names.contains("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc"));
}

// The name says what the row says.
TEST(MmaTable, NamesSpellTheShapeAndTheTypes) {
  for (const Instruction& row : mma_instructions) {
    const std::string shape = ".m" + std::to_string(row.m) + "n" + std::to_string(row.n) + "k" +
                              std::to_string(row.k) + ".";
    EXPECT_NE(row.name.find(shape), row.name.npos) << row.name;
    std::string types;
    for (const Operand operand : {Operand::d, Operand::a, Operand::b, Operand::c})
      types += "." + std::string(ptx_name(row.type(operand)));
    EXPECT_NE(row.name.find(types), row.name.npos) << row.name << " " << types;
  }
}

TEST(MmaTable, COnlyDiffersWhereItsTypeDoes) {
  int different = 0;
  for (const Instruction& row : mma_instructions) {
    EXPECT_EQ(exists(row.c), row.type(Operand::c) != row.d_type) << row.name;
    different += exists(row.c);
  }
  EXPECT_EQ(different, 4);  // f16 into f32, of the four layouts of m8n8k4
}

// A, B and D fill their registers, and A and D share m.
TEST(MmaTable, LanesHoldTheWholeMatricesOnce) {
  for_each_operand([](const Instruction& row, Operand operand) {
    if (operand > Operand::d || row.is_sparse()) return;
    const int elements = operand == Operand::a   ? row.m * row.k
                         : operand == Operand::b ? row.k * row.n
                                                 : row.m * row.n;
    EXPECT_EQ(elements_per_lane(row, operand) * 32, elements * row.blocks);
  });
}

}  // namespace
}  // namespace heddle::instruction
