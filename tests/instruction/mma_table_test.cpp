// mma.sync against the document and CUTLASS. tests/instruction/mma_intrinsic_test.cpp puts every
// row to LLVM.
#include "heddle/instruction/mma_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/names.h"
#include "tests/data/golden.h"
#include "tests/instruction/cute_layout.h"
#include "tests/instruction/mma_document.h"

namespace heddle::instruction {
namespace mma_table_test {

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

/// CUTLASS's atoms that are no mma.sync, and why.
struct NoInstruction {
  std::string_view name, reason;
};

constexpr std::array not_mma{
    NoInstruction{"SM61_DP4A", "a dot product of one thread"},
    NoInstruction{"SM61_DP2A", "a dot product of one thread"},
    NoInstruction{"SM80_8x8x4_C64C64C64C64_TN", "four mma of f64"},
    NoInstruction{"SM80_8x8x4_GC64C64C64GC64_TN", "three mma of f64"},
    NoInstruction{"SM90_16x8x4_C64C64C64C64_TN", "four mma of f64"},
    NoInstruction{"SM90_16x8x8_C64C64C64C64_TN", "four mma of f64"},
    NoInstruction{"SM90_16x8x16_C64C64C64C64_TN", "four mma of f64"},
};

/// CUTLASS's index of a value of a thread, and the lane that the thread is.
struct CutlassOperand {
  std::function<int(int thread, int value)> index;
  int threads, values;
};

/// Every value of every thread lies where the map says: `rows` is the extent that indices count
/// through first. A value of a sparse A, its index or a scale is one k; a position stands for
/// `per_position` of them.
void expect_same_as_cutlass(const Instruction& row, Operand operand, const CutlassOperand& cutlass,
                            auto lane_of, int rows, int per_position = 1) {
  SCOPED_TRACE(what(row, operand));
  const LinearLayout map = fragment(row, operand);
  const int positions = static_cast<int>(map.input_size("element") * map.input_size("register"));
  const bool second = operand == Operand::b || operand == Operand::scale_b;  // B counts n first
  for (int thread = 0; thread < cutlass.threads; ++thread)
    for (int value = 0; value < cutlass.values; ++value) {
      const int index = cutlass.index(thread, value);
      const int along = index / rows / per_position;
      const auto at = element_at(map, lane_of(thread), value / per_position, positions);
      ASSERT_EQ(at[0], second ? along : index % rows) << thread << ", " << value;
      ASSERT_EQ(at[1], second ? index % rows : along) << thread << ", " << value;
      ASSERT_EQ(at[2], 0);
    }
}

/// The atoms' names in the order of the file; `check(row, atom)` for those that are instructions.
void for_each_atom(const char* list, auto&& check) {
  const llvm::json::Value golden = test::read_golden("cutlass_mma.json.gz");
  std::set<std::string_view> excepted;
  for (const llvm::json::Value& value : *golden.getAsObject()->getArray(list)) {
    const llvm::json::Object& atom = *value.getAsObject();
    const std::string name = atom.getString("name")->str();
    SCOPED_TRACE(name);
    const auto found = find_by_any_name(name, Target::sm_120);
    const auto known = std::find_if(not_mma.begin(), not_mma.end(),
                                    [&](const NoInstruction& entry) { return entry.name == name; });
    if (known != not_mma.end()) {
      EXPECT_FALSE(found) << "needs no exception: " << known->reason;
      continue;
    }
    ASSERT_TRUE(found);
    const std::vector<int> shape = test::numbers(*atom.getArray("MNK"));
    EXPECT_EQ(shape, (std::vector<int>{found->m, found->n, found->k}));
    check(*find(found->name, Target::sm_120), atom);
  }
}

TEST(MmaCutlass, EveryAtomsLayoutsAreTheMaps) {
  std::set<const Instruction*> recorded;
  std::map<Operand, int> compared;
  for_each_atom("atoms", [&](const Instruction& row, const llvm::json::Object& atom) {
    recorded.insert(&row);
    const std::string threads = atom.getString("ThrID")->str();
    const auto lane_of = [&](int thread) {
      if (threads == "_32:_1") return thread;
      return test::CuteLayout(threads)(thread % 4, thread / 4);  // (_4,_2):(_1,_16)
    };
    const std::vector<int> registers = test::numbers(*atom.getArray("registers"));
    constexpr std::array in_order{Operand::d, Operand::a, Operand::b, Operand::c};
    for (std::size_t i = 0; i < in_order.size(); ++i)
      EXPECT_EQ(registers[i], row.map(in_order[i]).registers) << name(in_order[i]);
    constexpr std::array keys{std::pair{Operand::a, "A"},        std::pair{Operand::b, "B"},
                              std::pair{Operand::c, "C"},        std::pair{Operand::d, "C"},
                              std::pair{Operand::index, "E"},    std::pair{Operand::scale_a, "SFA"},
                              std::pair{Operand::scale_b, "SFB"}};
    for (const auto& [operand, key] : keys) {
      const auto text = atom.getString(key);
      ASSERT_EQ(text.has_value(), row.has(operand)) << key;
      if (!text) continue;
      const test::CuteLayout layout(text->str());
      const bool of_b = operand == Operand::b || operand == Operand::scale_b;
      const int per_position = k_per_group(row, fragment(row, operand));
      expect_same_as_cutlass(row, operand, {layout, layout.size(0), layout.size(1)}, lane_of,
                             of_b ? row.n : row.m, per_position);
      ++compared[operand];
    }
  });
  for (const Instruction& row : all_instructions()) {
    if (row.wave != 32 || row.kind != Kind::multiply || !is_nvidia(row.family())) continue;
    EXPECT_EQ(row.has(Witness::cutlass), recorded.contains(&row)) << row.name;
  }
  EXPECT_EQ(compared[Operand::a], 248 - static_cast<int>(not_mma.size()));
  EXPECT_EQ(compared[Operand::index], 50 + 25 + 3);
  EXPECT_EQ(compared[Operand::scale_a], 2 * (25 + 3));
}

TEST(MmaCutlass, EveryTabledElementIsWhereTheMapSays) {
  int compared = 0;
  for_each_atom("tables", [&](const Instruction& row, const llvm::json::Object& atom) {
    const std::vector<int> lanes = test::numbers(*atom.getArray("lanes"));
    for (const auto& [operand, key] :
         {std::pair{Operand::a, "A"}, std::pair{Operand::b, "B"}, std::pair{Operand::c, "C"}}) {
      const llvm::json::Object& table = *atom.getObject(key);
      const std::vector<int> idx = test::numbers(*table.getArray("idx"));
      const int values = static_cast<int>(*table.getInteger("values"));
      const int threads = static_cast<int>(*table.getInteger("threads"));
      ASSERT_EQ(values, elements_per_lane(row, operand));
      const auto index = [&](int thread, int value) {
        return idx.at(static_cast<std::size_t>(thread * values + value));
      };
      const auto lane_of = [&](int thread) { return lanes.at(static_cast<std::size_t>(thread)); };
      expect_same_as_cutlass(row, operand, {index, threads, values}, lane_of,
                             operand == Operand::b ? row.n : row.m);
      ++compared;
    }
  });
  EXPECT_EQ(compared, 3 * (33 - 2));  // without SM61_DP4A and SM90_16x8x8_C64C64C64C64_TN
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

}  // namespace mma_table_test
}  // namespace heddle::instruction
