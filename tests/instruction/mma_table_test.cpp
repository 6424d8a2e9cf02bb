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

TEST(MmaDocument, EveryMapIsTheDocumentsFormula) {
  int compared = 0, missing = 0;
  for_each_operand([&](const Instruction& row, Operand operand) {
    if (operand > Operand::d || (row.is_sparse() && operand == Operand::a)) return;
    const test::Fragment formula = test::mma_formula(row, operand);
    if (formula == nullptr) {  // B of a deep sparse one
      EXPECT_TRUE(row.is_sparse() && operand == Operand::b);
      EXPECT_FALSE(row.has(Witness::document));
      ++missing;
      return;
    }
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
  const int dense = 70 + 50 + 25 + 4, sparse = 56 + 4 + 50 + 25 + 4;
  EXPECT_EQ(compared + missing, dense * 4 + sparse * 3);
  // f16 and bf16 k32, tf32 k16, 8 bits k64, 4 bits k128: all but half of the first 56.
  EXPECT_EQ(missing, sparse - 24);
}

// A position of a sparse A holds the survivors of one group of columns, in their order.
TEST(MmaDocument, ASparseAIsTheDocumentsFormula) {
  int compared = 0;
  for (const Instruction& row : mma_instructions) {
    if (!row.is_sparse()) continue;
    SCOPED_TRACE(row.name);
    const test::SparseFormula* formula = test::sparse_formula(row);
    ASSERT_NE(formula, nullptr);
    const LinearLayout map = fragment(row, Operand::a);
    const int per_group = k_per_group(row, map);
    const int survivors = row.a.bits / test::position_bits(row);
    EXPECT_EQ(survivors * 2, per_group);
    const int groups = formula->columns / per_group;  // of a register
    const int positions = elements_per_lane(row, Operand::a);
    for (int lane = 0; lane < 32; ++lane)
      for (int position = 0; position < positions; ++position) {
        const test::RowColumn wanted = formula->a(lane, position * survivors);
        const int group = wanted.column / per_group + position % groups;
        ASSERT_EQ(element_at(map, lane, position, positions), (std::array{wanted.row, group, 0}))
            << "lane " << lane << " position " << position;
      }
    ++compared;
  }
  EXPECT_EQ(compared, 56 + 4 + 50 + 25 + 4);
}

// The lanes of a quad that hold the index of an instruction are those that its selector names.
TEST(MmaDocument, TheSelectorNamesTheLanesThatHoldTheIndex) {
  for (const Instruction& row : mma_instructions) {
    if (!row.is_sparse()) continue;
    SCOPED_TRACE(row.name);
    const LinearLayout map = fragment(row, Operand::index);
    const int lanes = test::sparse_formula(row)->index_lanes;
    EXPECT_EQ(1 << map.outputs().bits_of("selector"), 4 / lanes);
    for (int lane = 0; lane < 32; ++lane)
      for (std::uint64_t element = 0; element < 8; ++element) {
        const auto at =
            map.apply({{"lane", static_cast<std::uint64_t>(lane)}, {"element", element}});
        EXPECT_EQ(at->at_or("selector", 0), static_cast<unsigned>(lane % 4 / lanes));
      }
  }
}

// The bytes of a scale register and the lanes of a quad that one instruction reads, by its byte-id
// and thread-id ("Block Scaling for mma.sync": thread-id-a names two lanes, thread-id-b one; of 1X
// byte-id is one of four, of 2X 0 or 2, of 4X 0).
TEST(MmaDocument, TheSelectorsNameTheBytesAndLanesThatHoldTheScales) {
  int scaled = 0;
  for (const Instruction& row : mma_instructions) {
    if (!row.has(Operand::scale_a)) continue;
    SCOPED_TRACE(row.name);
    const std::size_t at = row.name.find("scale_vec::") + 11;
    const int scales = row.name[at] - '0';
    for (const Operand operand : {Operand::scale_a, Operand::scale_b}) {
      const LinearLayout map = fragment(row, operand);
      const int lanes = operand == Operand::scale_a ? 2 : 1;
      for (int lane = 0; lane < 32; ++lane)
        for (int byte = 0; byte < 4; ++byte) {
          const auto to = map.apply({{"lane", static_cast<std::uint64_t>(lane)},
                                     {"element", static_cast<std::uint64_t>(byte)}});
          const int thread_id = lane % 4 / lanes;
          const int byte_id = byte / scales * scales;
          const int selector = byte_id / scales + thread_id * (4 / scales);
          EXPECT_EQ(to->at("selector"), static_cast<unsigned>(selector));
          EXPECT_EQ(to->at("group"), static_cast<unsigned>(byte % scales));
        }
      EXPECT_EQ(map.output_size("group"), static_cast<unsigned>(scales));
    }
    ++scaled;
  }
  EXPECT_EQ(scaled, 2 * (25 + 4));
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

// A dense matrix fills its registers, once.
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
