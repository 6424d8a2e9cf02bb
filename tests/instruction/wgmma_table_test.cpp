// The rows of wgmma against the figures of the PTX ISA as formulas, for every n of every row, and
// against what CuTe's traits say (tests/data/cutlass_wgmma.json.gz).
#include "heddle/instruction/wgmma_table.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/places.h"
#include "tests/data/golden.h"
#include "tests/instruction/cute_layout.h"

namespace heddle::instruction {
namespace wgmma_table_test {

using layout::LinearLayout;

constexpr const Instruction& f32_f16 =
    get<"wgmma.mma_async.sync.aligned.m64nNk16.f32.f16.f16", Target::sm_90>();
static_assert(f32_f16.d.registers == 128 && f32_f16.wave == 128);
static_assert(with_n(f32_f16, 24)->d.registers == 12);
static_assert(fragment(*with_n(f32_f16, 8), Operand::d).output_size("n") == 8);
static_assert(!with_n(f32_f16, 12) && !with_n(f32_f16, 264) && !with_n(f32_f16, 0));

/// Calls `check` with every row for every n it takes.
template <typename Check>
void for_each_size(Check check) {
  int count = 0;
  for (const Instruction& row : wgmma_instructions) {
    for (int n = 1; n <= 300; ++n) {
      const auto sized = with_n(row, n);
      if (!sized) continue;
      SCOPED_TRACE(std::string(row.name) + " n = " + std::to_string(n));
      check(*sized);
      ++count;
    }
  }
  EXPECT_EQ(count, 24 * 32 + 9 * 18);
}

// PTX ISA 9.0, "Matrix Shape" of wgmma.
TEST(Wgmma, TakesTheSizesOfTheDocument) {
  std::set<int> floats, integers{8, 16, 24, 32};
  for (int n = 8; n <= 256; n += 8) floats.insert(n);
  for (int n = 48; n <= 256; n += 16) integers.insert(n);
  for (const Instruction& row : wgmma_instructions) {
    std::set<int> taken;
    for (int n = -8; n <= 512; ++n)
      if (takes_n(row, n)) taken.insert(n);
    EXPECT_EQ(taken, row.d_type == ElementType::i32 ? integers : floats) << row.name;
  }
}

struct Point {
  int row, column;
  friend auto operator<=>(const Point&, const Point&) = default;
};

// Element i of a lane's A, d of its accumulator. Figures 148 to 155: a warp has 16 rows; in them
// lane l has row l / 4 and, in the odd pieces, 8 below.
Point document_a(const Instruction& row, int lane, int i) {
  const int packed = 32 / bits(row.a_type);  // consecutive in k, in one register
  const int piece = i / packed;
  return {lane / 32 * 16 + lane % 32 / 4 + piece % 2 * 8,
          lane % 4 * packed + i % packed + piece / 2 * 4 * packed};
}

Point document_d(int lane, int i) {
  return {lane / 32 * 16 + lane % 32 / 4 + i % 4 / 2 * 8, lane % 4 * 2 + i % 2 + i / 4 * 8};
}

/// The element in position `i` of a lane, counting from bit 0 of register 0 on.
Point held(const LinearLayout& map, int lane, int i) {
  const auto per_lane = static_cast<int>(map.input_size("element") * map.input_size("register"));
  const auto to = map.outputs().unpack(map.apply(static_cast<std::uint64_t>(lane * per_lane + i)));
  return {static_cast<int>(to[0].value), static_cast<int>(to[1].value)};
}

TEST(Wgmma, AIsThatOfTheDocument) {
  for (const Instruction& row : wgmma_instructions) {
    if (row.is_sparse()) continue;
    const LinearLayout map = fragment(row, Operand::a);
    const int count = elements_per_lane(row, Operand::a);
    EXPECT_EQ(count * 128, row.m * row.k) << row.name;
    for (int lane = 0; lane < 128; ++lane)
      for (int i = 0; i < count; ++i)
        ASSERT_EQ(held(map, lane, i), document_a(row, lane, i)) << row.name << " " << lane;
  }
}

TEST(Wgmma, TheAccumulatorIsThatOfTheDocumentForEveryN) {
  for_each_size([](const Instruction& row) {
    const LinearLayout map = fragment(row, Operand::d);
    const int count = elements_per_lane(row, Operand::d);
    ASSERT_EQ(count, row.n / 2);
    ASSERT_EQ(row.d.registers * 32, count * bits(row.d_type));
    EXPECT_EQ(map.output_size("n"), std::bit_ceil(static_cast<unsigned>(row.n)));
    for (int lane = 0; lane < 128; ++lane)
      for (int i = 0; i < count; ++i) ASSERT_EQ(held(map, lane, i), document_d(lane, i));
  });
}

// The matrix view is the inverse: every element of 64 x n, and none beyond.
TEST(Wgmma, PlacesOfTheAccumulatorForEveryN) {
  for_each_size([](const Instruction& row) {
    const Places result = places(row, Operand::d);
    ASSERT_EQ(result.rows, 64);
    ASSERT_EQ(result.cols, row.n);
    ASSERT_EQ(result.reg.size(), static_cast<std::size_t>(64 * row.n));
    std::size_t seen = 0;
    for (int lane = 0; lane < 128; ++lane) {
      for (int i = 0; i < row.n / 2; ++i, ++seen) {
        const Point at = document_d(lane, i);
        const auto index = static_cast<std::size_t>(at.row * row.n + at.column);
        const int bit = i * bits(row.d_type);
        ASSERT_EQ(result.lane[index], lane);
        ASSERT_EQ(result.reg[index], bit / 32);
        ASSERT_EQ(result.bit[index], bit % 32);
      }
    }
    EXPECT_EQ(seen, result.reg.size());
  });
}

// "Non-zero elements" of the sparse A: two survivors of every four k, of tf32 one of two.
TEST(Wgmma, TheSparseAIsTheDenseOneOfItsSurvivors) {
  int count = 0;
  for (const Instruction& row : wgmma_instructions) {
    if (!row.is_sparse()) continue;
    const LinearLayout map = fragment(row, Operand::a);
    const int survivors = row.a_type == ElementType::xf32 ? 1 : 2;
    EXPECT_EQ(k_per_group(row, map), 2 * survivors);
    EXPECT_EQ(row.a.bits, survivors * bits(row.a_type));
    const int groups = elements_per_lane(row, Operand::a);
    for (int lane = 0; lane < 128; ++lane)
      for (int i = 0; i < groups; ++i) {
        const Point dense = document_a(row, lane, i * survivors);
        ASSERT_EQ(held(map, lane, i), (Point{dense.row, dense.column / survivors}));
      }
    ++count;
  }
  EXPECT_EQ(count, 16);
}

// CuTe's mma_traits_sm90_gmma_sparse.hpp, ELayout_64x16, _64x32 and _64x64: (lane, bit group of the
// register) -> row + 64 * k. A group of `width` bits stands for one k: all places of a row take
// half as many bits as k is wide, or for tf32 as many.
TEST(Wgmma, TheIndexIsCutesMetadata) {
  const std::map<int, const char*> layouts{
      {16, "((_2,_2,_8,_4),(_8,_2)):((_512,_0,_1,_16),(_64,_8))"},
      {32, "((_2,_2,_8,_4),(_16,_2)):((_1024,_0,_1,_16),(_64,_8))"},
      {64, "((_2,_2,_8,_4),_32):((_8,_2048,_1,_16),_64)"}};
  int count = 0;
  for (const Instruction& row : wgmma_instructions) {
    if (!row.is_sparse()) continue;
    const test::CuteLayout cute(layouts.at(row.k));
    const LinearLayout map = fragment(row, Operand::index);
    const int width = 32 / cute.size(1);
    const int per_group = k_per_group(row, map);
    EXPECT_EQ(per_group * width, row.index.bits);
    std::set<Point> of_selector[2];
    for (int lane = 0; lane < 128; ++lane) {
      for (int i = 0; i < 8; ++i) {
        const int index = cute(lane, i * per_group);
        ASSERT_EQ(held(map, lane, i), (Point{index % 64, index / 64 / per_group}));
        const auto to = map.outputs().unpack(map.apply(static_cast<std::uint64_t>(lane * 8 + i)));
        const auto selector = to.at_or("selector", 0);
        EXPECT_EQ(selector, row.k == 64 ? 0u : static_cast<unsigned>(lane / 2 % 2));
        of_selector[selector].insert({index % 64, index / 64 / per_group});
      }
    }
    const auto all = static_cast<std::size_t>(64 * row.k / per_group);
    EXPECT_EQ(of_selector[0].size(), all);
    EXPECT_EQ(of_selector[1].size(), row.k == 64 ? 0 : all);
    ++count;
  }
  EXPECT_EQ(count, 16);
}

/// The row of a CuTe atom: "SM90_64x96x32_F16E4M3E5M2_RS_TN".
const Instruction* row_of(const llvm::json::Object& atom) {
  static const std::map<std::string, std::string> types{{"cutlass::half_t", "f16"},
                                                        {"cutlass::bfloat16_t", "bf16"},
                                                        {"cutlass::tfloat32_t", "tf32"},
                                                        {"cutlass::float_e4m3_t", "e4m3"},
                                                        {"cutlass::float_e5m2_t", "e5m2"},
                                                        {"signed char", "s8"},
                                                        {"unsigned char", "u8"},
                                                        {"int", "s32"},
                                                        {"float", "f32"}};
  const auto type = [&](const char* operand) {
    return types.at(atom.getObject("val")->getArray(operand)->front().getAsString()->str());
  };
  const std::string k = std::to_string(test::numbers(*atom.getArray("MNK")).at(2));
  const std::string name = "wgmma.mma_async.sync.aligned.m64nNk" + k + "." + type("D") + "." +
                           type("A") + "." + type("B");
  return find(name, Target::sm_90);
}

int registers(const llvm::json::Object& atom, const char* key) {
  return static_cast<int>(*(*atom.getArray(key))[1].getAsInteger());
}

void expect_same(const LinearLayout& map, const test::CuteLayout& cute, int count) {
  ASSERT_EQ(cute.size(0), 128);
  ASSERT_EQ(cute.size(1), count);
  for (int lane = 0; lane < 128; ++lane)
    for (int i = 0; i < count; ++i) {
      const int index = cute(lane, i);
      ASSERT_EQ(held(map, lane, i), (Point{index % 64, index / 64})) << "lane " << lane;
    }
}

TEST(Wgmma, RowsAreCutesAtoms) {
  const llvm::json::Value golden = test::read_golden("cutlass_wgmma.json.gz");
  int atoms = 0, in_registers = 0;
  std::set<const Instruction*> seen;
  for (const llvm::json::Value& value : *golden.getAsObject()->getArray("gmma")) {
    const llvm::json::Object& atom = *value.getAsObject();
    SCOPED_TRACE(atom.getString("name")->str());
    const Instruction* row = row_of(atom);
    ASSERT_NE(row, nullptr);
    const auto sized = with_n(*row, test::numbers(*atom.getArray("MNK")).at(1));
    ASSERT_TRUE(sized.has_value());
    EXPECT_EQ(sized->d.registers, registers(atom, "CRegs"));
    expect_same(fragment(*sized, Operand::d), test::CuteLayout(atom.getString("C")->str()),
                elements_per_lane(*sized, Operand::d));
    seen.insert(row);
    ++atoms;
    if (*atom.getString("Aref") == "smem") continue;
    EXPECT_EQ(sized->a.registers, registers(atom, "ARegs"));
    expect_same(fragment(*sized, Operand::a), test::CuteLayout(atom.getString("A")->str()),
                elements_per_lane(*sized, Operand::a));
    ++in_registers;
  }
  EXPECT_EQ(atoms, 40);
  EXPECT_EQ(in_registers, 8);
  EXPECT_EQ(seen.size(), 12u);
}

// Tables of the recording, element for element.
TEST(Wgmma, FragmentsAreCutesTables) {
  const llvm::json::Value golden = test::read_golden("cutlass_wgmma.json.gz");
  int compared = 0;
  const auto compare = [&](const llvm::json::Object& table, const char* key, const Instruction& row,
                           Operand operand) {
    SCOPED_TRACE(table.getString("name")->str() + " " + std::string(row.name));
    const auto idx = test::numbers(*table.getObject(key)->getArray("idx"));
    const int count = elements_per_lane(row, operand);
    ASSERT_EQ(idx.size(), static_cast<std::size_t>(128 * count));
    const LinearLayout map = fragment(row, operand);
    for (std::size_t i = 0; i < idx.size(); ++i) {
      const auto lane = static_cast<int>(i) / count;
      ASSERT_EQ(held(map, lane, static_cast<int>(i) % count), (Point{idx[i] % 64, idx[i] / 64}));
    }
    ++compared;
  };
  for (const Instruction& row : wgmma_instructions) {
    for (const llvm::json::Value& value : *golden.getAsObject()->getArray("gmma_C")) {
      const llvm::json::Object& table = *value.getAsObject();
      const auto sized = with_n(row, static_cast<int>(*table.getInteger("cols")));
      if (sized) compare(table, "C", *sized, Operand::d);
    }
    for (const llvm::json::Value& value : *golden.getAsObject()->getArray("gmma_A")) {
      const llvm::json::Object& table = *value.getAsObject();
      if (!row.is_sparse() && row.k == *table.getInteger("cols"))
        compare(table, "L", row, Operand::a);
    }
  }
  // Eight widths of floats, of integers only 8; A of tf32 and of the three with k = 16.
  EXPECT_EQ(compared, 24 * 8 + 9 * 1 + 1 + 3);
}

}  // namespace wgmma_table_test
}  // namespace heddle::instruction
