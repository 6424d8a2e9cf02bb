// The rows of ldmatrix, stmatrix and movmatrix against the PTX ISA, as formulas, and against what
// CuTe's copy traits say (tests/data/cutlass_wgmma.json.gz).
#include "heddle/instruction/matrix_move_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/places.h"
#include "tests/data/golden.h"

namespace heddle::instruction {
namespace matrix_move_table_test {

using layout::LinearLayout;

bool has(const Instruction& row, std::string_view part) {
  return row.name.find(part) != std::string_view::npos;
}

struct Point {
  int row, column, block;
  friend auto operator<=>(const Point&, const Point&) = default;
};

/// The element of D that is element `i` of register `reg` of a lane.
Point held(const Instruction& row, int lane, int reg, int i) {
  const LinearLayout map = fragment(row, Operand::d);
  const auto number = [](int value) { return static_cast<std::uint64_t>(value); };
  const auto to =
      map.apply({{"lane", number(lane)}, {"register", number(reg)}, {"element", number(i)}});
  return {static_cast<int>(to->at("m")), static_cast<int>(to->at("n")),
          static_cast<int>(to->at_or("block", 0))};
}

// What the document says of element i of register `reg`, as the row and column of the fragment that
// its figures draw; with .trans those are a column and a row of memory.
//
//   Figure 104, 107  8x8, 16 bits     row lane / 4, column 2 * (lane % 4) + i; a register a matrix
//   Figure 105       16x16, 8 bits    four consecutive columns from 4 * (lane % 4) on, of row
//                                     lane / 4 and in the next register 8 below
//   Figure 106       8x16, 8 bits     row lane / 4, column 4 * (lane % 4) + i; a register a matrix
//   Figure 108       16x8, 8 bits     row lane / 4, for e2 and e3 8 below, column
//                                     2 * (lane % 4) + i % 2; a register a matrix
Point document(const Instruction& row, int lane, int reg, int i) {
  const int quad = lane / 4, in_quad = lane % 4;
  Point at{quad, 4 * in_quad + i, reg};
  if (has(row, ".m8n8.")) at = {quad, 2 * in_quad + i, reg};
  if (has(row, ".m16n16.")) at = {quad + reg % 2 * 8, 4 * in_quad + i, reg / 2};
  if (has(row, ".m16n8.")) at = {quad + i / 2 * 8, 2 * in_quad + i % 2, reg};
  if (has(row, ".trans.")) std::swap(at.row, at.column);
  return at;
}

TEST(MatrixMove, FragmentsAreThoseOfTheDocument) {
  int count = 0;
  for (const Instruction& row : matrix_move_instructions) {
    if (row.kind == Kind::transpose) continue;
    SCOPED_TRACE(row.name);
    std::set<Point> elements;
    for (int lane = 0; lane < 32; ++lane)
      for (int reg = 0; reg < row.d.registers; ++reg)
        for (int i = 0; i < 32 / row.d.bits; ++i) {
          ASSERT_EQ(held(row, lane, reg, i), document(row, lane, reg, i)) << lane << " " << reg;
          elements.insert(held(row, lane, reg, i));
        }
    EXPECT_EQ(elements.size(), static_cast<std::size_t>(row.blocks * row.m * row.n));
    ++count;
  }
  EXPECT_EQ(count, 6 + 6 + 6 + 6 + 3);
}

// "Addresses addr0-addr7 correspond to the rows of the first matrix, addresses addr8-addr15 to the
// rows of the second matrix, and so on"; of 16 x 16 matrices 16 each.
TEST(MatrixMove, AddressesAreThoseOfTheDocument) {
  for (const Instruction& row : matrix_move_instructions) {
    if (row.kind == Kind::transpose) continue;
    const LinearLayout map = fragment(row, Operand::address);
    for (int lane = 0; lane < 32; ++lane) {
      const auto to = map.apply({{"lane", static_cast<std::uint64_t>(lane)}});
      const int read = lane % (row.m * row.blocks);
      EXPECT_EQ(static_cast<int>(to->at("m")), read % row.m) << row.name;
      EXPECT_EQ(static_cast<int>(to->at_or("block", 0)), read / row.m) << row.name;
    }
    const Places view = places(row, Operand::address);
    EXPECT_EQ(view.rows, row.m);
    EXPECT_EQ(view.cols, 1);
    EXPECT_EQ(view.blocks, row.blocks);
    for (std::size_t i = 0; i < view.lane.size(); ++i) EXPECT_EQ(view.lane[i], static_cast<int>(i));
  }
}

// "The resulting matrix in d is a transpose of the input matrix specified by a", both with a row in
// four lanes.
TEST(MatrixMove, MovmatrixHasARowInFourLanesBeforeAndAfter) {
  const Instruction& row = *find("movmatrix.sync.aligned.m8n8.trans.b16", Target::sm_90);
  EXPECT_EQ(row.kind, Kind::transpose);
  const LinearLayout a = fragment(row, Operand::a);
  const LinearLayout d = fragment(row, Operand::d);
  for (std::uint64_t input = 0; input < 64; ++input) {
    const std::uint64_t lane = input / 2;
    EXPECT_EQ(a.apply(input), d.apply(input));
    EXPECT_EQ(a.outputs().unpack(a.apply(input)).at("m"), lane / 4);
    EXPECT_EQ(a.outputs().unpack(a.apply(input)).at("k"), lane % 4 * 2 + input % 2);
  }
}

/// One side of a recorded copy: a label for each lane and bit.
struct Side {
  explicit Side(const llvm::json::Object& json)
      : bits(static_cast<int>(*json.getInteger("bits"))),
        unit(static_cast<int>(*json.getInteger("unit"))),
        idx(test::numbers(*json.getArray("idx"))) {}

  int label(int lane, int bit) const {
    return idx[static_cast<std::size_t>(lane * (bits / unit) + bit / unit)] * unit + bit % unit;
  }
  int bits, unit;
  std::vector<int> idx;
};

/// CuTe's name and the row. `shuffled`: SM100_U8x16_LDSM_T permutes the bytes of what it has loaded
/// (copy_sm100.hpp): bytes 2 and 3 of its register 2q are bytes 0 and 1 of register 2q + 1, and the
/// other way round.
struct Recorded {
  const char* cute;
  const char* name;
  bool shuffled = false;
};

constexpr std::array recorded{
    Recorded{"SM75_U32x1_LDSM_N", "ldmatrix.sync.aligned.m8n8.x1.shared.b16"},
    Recorded{"SM75_U32x4_LDSM_N", "ldmatrix.sync.aligned.m8n8.x4.shared.b16"},
    Recorded{"SM75_U16x4_LDSM_T", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16"},
    Recorded{"SM90_U32x2_STSM_N", "stmatrix.sync.aligned.m8n8.x2.shared.b16"},
    Recorded{"SM90_U16x2_STSM_T", "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16"},
    Recorded{"SM90_U16x8_STSM_T", "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16"},
    Recorded{"SM100_U8x16_LDSM_T", "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", true},
    Recorded{"SM100_SU6_DU8x16_x1_LDSM_N", "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32"},
    Recorded{"SM100_SU6_DU8x16_x2_LDSM_N", "ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32"},
    Recorded{"SM100_SU6_DU8x16_x4_LDSM_N", "ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32"},
    Recorded{"SM100_U8x8_STSM_T", "stmatrix.sync.aligned.m16n8.x2.trans.shared.b8"},
};

/// The bit of CuTe's registers that bit `bit` of the instruction's is.
int cute_bit(const Recorded& copy, int bit) {
  if (!copy.shuffled) return bit;
  const int reg = bit / 32, byte = bit / 8 % 4;
  const int cute_reg = reg / 2 * 2 + byte / 2;
  const int cute_byte = reg % 2 * 2 + byte % 2;
  return cute_reg * 32 + cute_byte * 8 + bit % 8;
}

TEST(MatrixMove, RowsAreCutesCopies) {
  const llvm::json::Value golden = test::read_golden("cutlass_wgmma.json.gz");
  std::size_t compared = 0;
  for (const llvm::json::Value& value : *golden.getAsObject()->getArray("copy")) {
    const llvm::json::Object& copy = *value.getAsObject();
    const std::string name = copy.getString("name")->str();
    SCOPED_TRACE(name);
    const auto* at = std::find_if(recorded.begin(), recorded.end(),
                                  [&](const Recorded& row) { return row.cute == name; });
    if (at == recorded.end()) {
      EXPECT_EQ(name, "SM75_U32x1_MOVM_T");  // below
      continue;
    }
    const Instruction* row = find(at->name, Target::sm_100);
    ASSERT_NE(row, nullptr);
    const bool load = row->kind == Kind::load;
    const Side memory(*copy.getObject(load ? "Src" : "Dst"));
    const Side lanes(*copy.getObject(load ? "Dst" : "Src"));
    ASSERT_EQ(lanes.bits, 32 * row->d.registers);
    ASSERT_EQ(memory.bits, row->n * row->d.bits);
    // label -> the first lane that points to it, and the bit behind its address
    std::map<int, std::pair<int, int>> places_in_memory;
    for (int lane = 31; lane >= 0; --lane)
      for (int bit = 0; bit < memory.bits; ++bit)
        places_in_memory[memory.label(lane, bit)] = {lane, bit};
    for (int lane = 0; lane < 32; ++lane)
      for (int bit = 0; bit < lanes.bits; ++bit) {
        const auto [source, offset] = places_in_memory.at(lanes.label(lane, cute_bit(*at, bit)));
        const Point element = held(*row, lane, bit / 32, bit % 32 / row->d.bits);
        ASSERT_EQ(element.block * row->m + element.row, source) << lane << " " << bit;
        ASSERT_EQ(element.column * row->d.bits + bit % row->d.bits, offset) << lane << " " << bit;
      }
    ++compared;
  }
  EXPECT_EQ(compared, recorded.size());
}

// CuTe gives movmatrix equal layouts on both sides, each in the coordinates of its own matrix.
TEST(MatrixMove, MovmatrixIsCutesCopy) {
  const llvm::json::Value golden = test::read_golden("cutlass_wgmma.json.gz");
  int found = 0;
  for (const llvm::json::Value& value : *golden.getAsObject()->getArray("copy")) {
    const llvm::json::Object& copy = *value.getAsObject();
    if (*copy.getString("name") != "SM75_U32x1_MOVM_T") continue;
    const Side from(*copy.getObject("Src")), to(*copy.getObject("Dst"));
    const Instruction& row = *find("movmatrix.sync.aligned.m8n8.trans.b16", Target::sm_80);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 2; ++i) {
        const Point d = held(row, lane, 0, i);
        EXPECT_EQ(to.label(lane, 16 * i), 16 * (8 * d.row + d.column));
        EXPECT_EQ(from.label(lane, 16 * i), to.label(lane, 16 * i));
      }
    ++found;
  }
  EXPECT_EQ(found, 1);
}

TEST(MatrixMove, WhereTheyExist) {
  const auto exists_on = [](const char* name, Target target) {
    return find(name, target) != nullptr;
  };
  EXPECT_TRUE(exists_on("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", Target::sm_75));
  EXPECT_FALSE(exists_on("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", Target::sm_70));
  EXPECT_TRUE(exists_on("stmatrix.sync.aligned.m8n8.x4.shared.b16", Target::sm_90));
  EXPECT_FALSE(exists_on("stmatrix.sync.aligned.m8n8.x4.shared.b16", Target::sm_89));
  EXPECT_TRUE(exists_on("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8", Target::sm_121));
  EXPECT_FALSE(exists_on("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8", Target::sm_90));
  EXPECT_TRUE(exists_on("movmatrix.sync.aligned.m8n8.trans.b16", Target::sm_75));
}

}  // namespace matrix_move_table_test
}  // namespace heddle::instruction
