// Every row of the catalogue against its witnesses and the laws of fragments. The witness of the
// maps: AMD's matrix instruction calculator 1.3.2, recorded in tests/data/amd_*.json.gz.
#include "heddle/instruction/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/instruction/amd_golden.h"

namespace heddle::instruction {
namespace catalogue_test {

using layout::LinearLayout;
using test::AmdTable;

// A user's first contact, at compile time.
constexpr const Instruction& wmma11 = get<"v_wmma_f32_16x16x16_f16", Target::gfx1151>();
constexpr const Instruction& wmma12 = get<"v_wmma_f32_16x16x16_f16", Target::gfx1201>();
static_assert(wmma11.a.registers == 8 && wmma12.a.registers == 4);
static_assert(fragment(wmma11, Operand::a).apply({{"lane", 5}, {"register", 3}})->at("m") == 5);
static_assert(fragment(wmma11, Operand::a).basis("lane", 4, "m") == 0, "lanes 16-31 are copies");
static_assert(fragment(wmma12, Operand::a).basis("lane", 4, "k") == 4);
static_assert(fragment(wmma12, Operand::a, KOrder::contiguous).basis("lane", 4, "k") == 8);
static_assert(get<"v_wmma_f32_16x16x16_f16", Target::gfx1151, 64>().d.registers == 4);
static_assert(fragment(get<"v_mfma_f32_32x32x1_2b_f32", Target::gfx942>(), Operand::a)
                  .basis("lane", 5, "block") == 1);

/// The processors whose tables are recorded.
struct Recorded {
  const char* file;
  Target target;
};
constexpr std::array recorded_tables{
    Recorded{"amd_rdna3.json.gz", Target::gfx1151}, Recorded{"amd_rdna4.json.gz", Target::gfx1201},
    Recorded{"amd_cdna1.json.gz", Target::gfx908},  Recorded{"amd_cdna2.json.gz", Target::gfx90a},
    Recorded{"amd_cdna3.json.gz", Target::gfx942},
};

/// A processor of the row's family.
Target any_target(const Instruction& row) {
  for (const ProcessorRow& processor : processor_rows)
    if (processor.family == row.family()) return processor.target;
  ADD_FAILURE() << row.name << " has a family without processors";
  return Target::gfx1100;
}

bool is_rdna(const Instruction& row) { return is_rdna(row.family()); }

std::string what(const Instruction& row, Operand operand) {
  return std::string(row.name) + " " + std::string(name(row.family())) + " wave" +
         std::to_string(row.wave) + " " + std::string(name(operand));
}

// Calls `check(row, operand)` on every operand of every row, with every format of A and B.
void for_each_operand(auto&& check) {
  int count = 0;
  for (const Instruction& row : all_instructions()) {
    for (int format = 0; format < std::max(1, static_cast<int>(row.formats.size())); ++format) {
      const Instruction chosen = *with_formats(row, format, format);
      for (Operand operand : all_operands) {
        if (chosen.map(operand).text.empty()) continue;  // has none, or has it in shared memory
        SCOPED_TRACE(what(chosen, operand) + " format " + std::to_string(format));
        check(chosen, operand);
        ++count;
      }
    }
  }
  ASSERT_GT(count, 600) << "the harness ran next to nothing";
}

// Every recorded element lies where the map says, in each of its copies, and the map has no other
// inputs than these.
void expect_same(const AmdTable& table) {
  SCOPED_TRACE(table.what());
  ASSERT_NE(table.row, nullptr) << "the catalogue lacks it";
  const LinearLayout map = fragment(*table.row, table.operand);
  const int k_per_column = map.outputs().contains("group") ? 4 : 1;
  EXPECT_EQ(table.row->map(table.operand).bits, table.bits);
  EXPECT_EQ(table.blocks, table.row->blocks);
  const int register_step = table.bits > 32 ? table.bits / 32 : 1;
  ASSERT_EQ(table.reg.size(), static_cast<std::size_t>(table.blocks * table.rows * table.cols));
  std::set<std::uint64_t> seen;
  for (std::size_t i = 0; i < table.reg.size(); ++i) {
    const auto block = i / static_cast<std::size_t>(table.cols * table.rows);
    const auto row =
        i / static_cast<std::size_t>(table.cols) % static_cast<std::size_t>(table.rows);
    const auto col = i % static_cast<std::size_t>(table.cols) / k_per_column;
    ASSERT_EQ(table.reg[i] % register_step, 0);
    for (int copy : table.lane_copies) {
      const layout::Coordinates place{
          {"register", static_cast<std::uint64_t>(table.reg[i] / register_step)},
          {"lane", static_cast<std::uint64_t>(table.lane[i] + copy)}};
      std::uint64_t input = map.inputs().pack(place).value();
      input |= static_cast<std::uint64_t>(table.bit[i] / table.bits);  // element: the lowest axis
      seen.insert(input);
      const std::uint64_t output = map.apply(input);
      ASSERT_EQ(map.outputs().coordinate(output, 0), row) << "element " << i << " copy " << copy;
      ASSERT_EQ(map.outputs().coordinate(output, 1), col) << "element " << i << " copy " << copy;
      ASSERT_EQ(map.outputs().unpack(output).at_or("block", 0), block) << "element " << i;
    }
  }
  EXPECT_EQ(seen.size(), std::uint64_t{1} << map.input_bits());
}

TEST(Catalogue, EveryMapEqualsTheCalculatorsTable) {
  std::map<std::string, int> compared;
  for (const auto& [file, target] : recorded_tables) {
    for (const AmdTable& table : test::amd_tables(file, target)) {
      expect_same(table);
      ++compared[file];
    }
  }
  // Instructions, wave sizes, operands A, B, D, and of sparse ones the index.
  EXPECT_EQ(compared["amd_rdna3.json.gz"], 6 * 2 * 3);
  EXPECT_EQ(compared["amd_rdna4.json.gz"], 11 * 2 * 3 + 11 * 2 * 4);
  EXPECT_EQ(compared["amd_cdna1.json.gz"], 20 * 3);
  EXPECT_EQ(compared["amd_cdna2.json.gz"], 27 * 3);
  EXPECT_EQ(compared["amd_cdna3.json.gz"], 32 * 3 + 14 * 4);
}

// A row claims the calculator exactly when its table is recorded; of gfx950, which the calculator
// does not know, the row of the same name on gfx942 has a recorded table and the same maps.
TEST(Catalogue, EveryRowNamesTheWitnessItHas) {
  std::set<const Instruction*> recorded;
  for (const auto& [file, target] : recorded_tables) {
    for (const AmdTable& table : test::amd_tables(file, target)) recorded.insert(table.row);
  }
  int without_witness = 0;
  for (const Instruction& row : all_instructions()) {
    SCOPED_TRACE(what(row, Operand::d));
    EXPECT_EQ(row.has(Witness::calculator), recorded.contains(&row));
    // Of five the PTX document has B and the index in figures only, CUTLASS has no atom, and the
    // H200 lacks them. One of gfx1250 has only a witness that itself stands in doubt.
    if (row.map_witnesses() == 0 && is_nvidia(row.family())) {
      EXPECT_TRUE(row.family() == Family::sm120 && row.is_sparse() && row.has(Witness::ptxas));
      ++without_witness;
    }
    if (!row.has(Witness::predecessor)) continue;
    EXPECT_EQ(row.family(), Family::gfx950);
    const Instruction* predecessor = find(row.name, Target::gfx942);
    ASSERT_NE(predecessor, nullptr);
    EXPECT_TRUE(recorded.contains(predecessor));
    for (Operand operand : all_operands) {
      EXPECT_EQ(row.map(operand).text, predecessor->map(operand).text);
      EXPECT_EQ(row.map(operand).bits, predecessor->map(operand).bits);
      if (operand != Operand::index) {
        EXPECT_EQ(bits(row.type(operand)), bits(predecessor->type(operand)));
      }
    }
  }
  EXPECT_EQ(without_witness, 5);
}

// tests/interop/tilelang_test.cpp compares TileLang with the f16 row; it uses the same layouts for
// bf16. tests/instruction/encoding_test.cpp puts every row to LLVM.
TEST(Catalogue, TileLangsRowsHaveTheMapsThatAreComparedWithIt) {
  int count = 0;
  for (const Instruction& row : all_instructions()) {
    EXPECT_TRUE(row.has(Witness::llvm) || is_nvidia(row.family())) << row.name;
    if (!row.has(Witness::tilelang)) continue;
    const Instruction& compared = *find_dense(any_target(row), ElementType::f16, ElementType::f32);
    for (Operand operand : {Operand::a, Operand::b, Operand::d}) {
      EXPECT_EQ(row.map(operand).text, compared.map(operand).text) << what(row, operand);
    }
    ++count;
  }
  EXPECT_EQ(count, 4);  // f16 and bf16 into f32, on both families
}

// A row that fewer than two witnesses confirm says so where it is shown; one that none does says
// why.
TEST(Catalogue, RowsWithoutTwoWitnessesAreFew) {
  std::map<int, int> rows;
  for (const Instruction& row : all_instructions()) {
    if (is_nvidia(row.family())) continue;
    ++rows[row.map_witnesses()];
    if (row.map_witnesses() > 0) continue;
    // Of loads that transpose those of bytes from global memory, but for what gfx1201 was measured.
    EXPECT_TRUE(row.name == "v_swmmac_bf16f32_16x16x64_bf16" || row.name == "global_load_tr8_b64" ||
                (row.name == "global_load_tr_b64" && row.wave == 64))
        << row.name;
    EXPECT_NE(row.doubt, "");
  }
  EXPECT_EQ(rows[0], 1 + 2);
  EXPECT_EQ(rows[1], 23 + 8);
}

bool is_scale(Operand operand) {
  return operand == Operand::scale_a || operand == Operand::scale_b;
}

// The width of a position: of a sparse A it holds the survivors of a group, half of its k, of an
// index their places.
int position_bits(const Instruction& row, Operand operand, int per_group) {
  if (operand == Operand::index) return 4;
  const bool survivors = row.is_sparse() && operand == Operand::a;
  const bool multiplied = operand == Operand::a || operand == Operand::b;
  const bool in_tensor_memory = row.map(operand).storage == Storage::tensor_memory;
  const bool padded = (row.has(Constraint::byte_containers) || in_tensor_memory) && multiplied &&
                      bits(row.type(operand)) < 8;
  return (padded ? 8 : bits(row.type(operand))) * (survivors ? per_group / 2 : 1);
}

// The axes a reader may rely on, and their sizes.
TEST(Catalogue, MapsHaveTheAxesOfTheirOperand) {
  for_each_operand([](const Instruction& row, Operand operand) {
    const LinearLayout map = fragment(row, operand);
    const OperandMap& data = row.map(operand);
    const int step = registers_per_step(data, map);
    EXPECT_EQ(static_cast<int>(map.input_size("register")) * step, data.registers);
    EXPECT_LE(map.input_size("lane"), static_cast<std::uint64_t>(row.wave));
    EXPECT_LE(static_cast<int>(map.input_size("element")) * data.bits, 32 * step);
    for (const layout::Axis& axis : map.inputs()) {
      EXPECT_TRUE(axis.name == "element" || axis.name == "register" || axis.name == "lane");
    }
    const auto size = [&](const layout::AxisName& name) {
      return map.outputs().contains(name) ? static_cast<int>(map.output_size(name)) : 0;
    };
    if (operand == Operand::address) {
      EXPECT_EQ(map.outputs().size(), row.blocks == 1 ? 1 : 2);
      EXPECT_EQ(size("block"), row.blocks == 1 ? 0 : row.blocks);
      EXPECT_EQ(size("m"), row.m);
      return;
    }
    const bool sparse_a = row.is_sparse() && (operand == Operand::a || operand == Operand::index);
    const bool groups = is_scale(operand) || sparse_a;
    const bool selected = map.outputs().contains("selector");
    const bool in_tensor_memory = data.storage == Storage::tensor_memory;
    EXPECT_TRUE(!selected || is_scale(operand) || operand == Operand::index || in_tensor_memory);
    const bool of_b = operand == Operand::b || operand == Operand::scale_b;
    const bool of_a =
        operand == Operand::a || operand == Operand::scale_a || operand == Operand::index;
    const int per_group = k_per_group(row, map);
    const int parts = static_cast<int>(map.output_size("part"));
    EXPECT_EQ(map.outputs().size(), 2 + (row.blocks > 1) + selected + (parts > 1));
    EXPECT_EQ(size("block"), row.blocks == 1 ? 0 : row.blocks);
    EXPECT_EQ(size("m"), of_b ? 0 : row.m);
    EXPECT_EQ(size("n") * parts, of_a ? 0 : row.n);
    EXPECT_EQ(size("k"), (of_a || of_b) && !groups ? row.k : 0);
    if (groups) EXPECT_EQ(size("group") * per_group, row.k);
    if (sparse_a) EXPECT_TRUE(per_group == 4 || is_nvidia(row.family())) << per_group;
    const int scaled = is_nvidia(row.family()) && row.is_sparse() ? per_group / 2 : per_group;
    if (is_scale(operand)) EXPECT_TRUE(scaled == 32 || scaled == 16) << per_group;
    EXPECT_EQ(data.bits, position_bits(row, operand, per_group));
  });
}

// Law: every element of the tile is held, and held once per copy: all zero bases belong to lanes,
// and the others are independent (their images are as many as the tile has elements).
TEST(Catalogue, FragmentsCoverTheTileOnceBesideCopies) {
  for_each_operand([](const Instruction& row, Operand operand) {
    for (KOrder order : {KOrder::isa, KOrder::contiguous}) {
      const LinearLayout map = fragment(row, operand, order);
      std::map<std::uint64_t, int> holders;
      for (std::uint64_t input = 0; input >> map.input_bits() == 0; ++input) {
        ++holders[map.apply(input)];
      }
      EXPECT_EQ(holders.size(), std::uint64_t{1} << map.output_bits()) << name(order);
      int zero_lanes = 0;
      for (int bit = 0; bit < map.input_bits(); ++bit) {
        if (map.basis(bit) != 0) continue;
        EXPECT_EQ(map.inputs()[map.inputs().axis_of_bit(bit)].name, layout::AxisName("lane"));
        ++zero_lanes;
      }
      for (const auto& [output, count] : holders) ASSERT_EQ(count, 1 << zero_lanes) << output;
      if (operand == Operand::address) continue;  // lanes whose address is not read
      const bool operand_copied = operand == Operand::a || operand == Operand::b;
      if (is_rdna(row))
        EXPECT_EQ(zero_lanes > 0, operand_copied && row.has(Constraint::equal_copies));
      else if (zero_lanes > 0)
        EXPECT_TRUE(operand != Operand::d && row.has(Constraint::equal_copies));
    }
  });
}

// Law: fragment(i, o, contiguous) is fragment(i, o, isa) followed by contiguous_k(i).
TEST(KOrder, ContiguousIsTheIsaOrderRenumbered) {
  for_each_operand([](const Instruction& row, Operand operand) {
    const LinearLayout isa = fragment(row, operand, KOrder::isa);
    const LinearLayout contiguous = fragment(row, operand, KOrder::contiguous);
    const LinearLayout renumbering = contiguous_k(row);
    ASSERT_TRUE(isa.inputs() == contiguous.inputs() && isa.outputs() == contiguous.outputs());
    for (std::uint64_t input = 0; input >> isa.input_bits() == 0; ++input) {
      const layout::Coordinates from = isa.outputs().unpack(isa.apply(input));
      const layout::Coordinates to = contiguous.outputs().unpack(contiguous.apply(input));
      ASSERT_EQ(to.at_or("m", 0), from.at_or("m", 0));
      ASSERT_EQ(to.at_or("n", 0), from.at_or("n", 0));
      ASSERT_EQ(to.at_or("block", 0), from.at_or("block", 0));
      ASSERT_EQ(to.at_or("k", 0), renumbering.apply(from.at_or("k", 0)));
      const auto width = static_cast<std::uint64_t>(k_per_group(row, isa));
      ASSERT_EQ(to.at_or("group", 0) * width, renumbering.apply(from.at_or("group", 0) * width));
    }
  });
}

/// Whether A of the row has the k of B in each lane and slot: not where a sparse A of gfx950 has
/// longer runs.
bool has_k_of_b(const Instruction& row) {
  return !(row.is_of(Family::gfx950) && row.is_sparse() && row.b.registers == 8);
}

// The elements of a lane that share m (A) or n (B) are consecutive in k, in the order of element
// and register, unless no order makes them so; of A where it has the k of B. On AMD all of a lane
// share it, but for gfx1250's 32 rows; NVIDIA's lanes hold several m.
TEST(KOrder, ContiguousMakesTheElementsOfALaneConsecutive) {
  for_each_operand([](const Instruction& row, Operand operand) {
    const bool of_a = operand == Operand::a || operand == Operand::index;
    if (!of_a && operand != Operand::b) return;
    if (row.b.text.empty()) return;  // there is one order
    if (of_a && !has_k_of_b(row)) return;
    // Its index lies in other lanes than the elements that it is of.
    if (operand == Operand::index && row.is_of(Family::gfx1250) && row.k == 128) return;
    const LinearLayout map = fragment(row, operand, KOrder::contiguous);
    if (has_fixed_k(row)) {
      EXPECT_EQ(map, fragment(row, operand, KOrder::isa));
      EXPECT_TRUE(is_nvidia(row.family()) || row.has(Operand::scale_a));
      return;
    }
    const bool groups = map.outputs().contains("group");
    const int k_axis =
        map.outputs().find(groups ? layout::AxisName("group") : layout::AxisName("k"));
    const int held = elements_per_lane(row, operand);
    for (int lane = 0; lane < static_cast<int>(map.input_size("lane")); ++lane) {
      std::map<std::uint64_t, std::uint64_t> next;  // of the coordinates beside k
      for (int e = 0; e < held; ++e) {
        const std::uint64_t output = map.apply(static_cast<std::uint64_t>(lane * held + e));
        const std::uint64_t k = map.outputs().coordinate(output, k_axis);
        const auto [at, first] = next.try_emplace(output ^ k << map.outputs().offset(k_axis), k);
        ASSERT_EQ(k, at->second) << "lane " << lane << " element " << e;
        ++at->second;
      }
      const bool two_rows = of_a && row.m > row.n;
      if (!is_nvidia(row.family())) ASSERT_EQ(next.size(), two_rows ? 2u : 1u);
    }
  });
}

/// Whether a lane of B holds several runs of k.
bool holds_several_runs(const Instruction& row) {
  if (row.is_of(Family::gfx12)) return row.wave == 32 && bits(row.a_type) == 16;
  if (row.is_of(Family::gfx950)) return row.b.registers == 8;
  if (row.is_of(Family::gfx1250)) return row.b.registers > 2;
  return is_nvidia(row.family()) && row.blocks == 1 &&
         fragment(row, Operand::b).input_size("register") > 1;
}

// The known disagreement: the orders differ where a lane holds several runs of k, which TileLang
// and IREE number as one; never on gfx11, nor where k is fixed. On NVIDIA what B holds in a lane is
// in one piece as long as it is one register.
TEST(KOrder, OrdersDifferOnlyWhereTheWitnessesDo) {
  for_each_operand([](const Instruction& row, Operand operand) {
    if (operand != Operand::b) return;
    const bool differs = !(fragment(row, operand) == fragment(row, operand, KOrder::contiguous));
    EXPECT_EQ(differs, holds_several_runs(row) && !has_fixed_k(row)) << what(row, operand);
  });
}

// The nonzero k of an operand's bases, in the order of element, register and lane.
std::vector<std::uint64_t> k_bits(const LinearLayout& map) {
  std::vector<std::uint64_t> bits;
  for (int bit = 0; bit < map.input_bits(); ++bit) {
    const std::uint64_t k = map.outputs().unpack(map.basis(bit)).at("k");
    if (k != 0) bits.push_back(k);
  }
  return bits;
}

// Both operands agree on which elements meet: what A calls k, B calls k. Only Volta's m8n8k4 may
// have k in the registers of one and in the lanes of the other.
TEST(KOrder, AHasTheKBitsOfB) {
  for (const Instruction& row : all_instructions()) {
    if (row.is_sparse() || row.kind != Kind::multiply || row.b.text.empty()) continue;
    const LinearLayout a = fragment(row, Operand::a);
    const LinearLayout b = fragment(row, Operand::b);
    EXPECT_EQ(k_bits(a), k_bits(b)) << what(row, Operand::a);
    if (is_nvidia(row.family()) || row.m != row.n) continue;
    ASSERT_EQ(a.input_bits(), b.input_bits());
    for (int bit = 0; bit < a.input_bits(); ++bit) {
      EXPECT_EQ(a.outputs().unpack(a.basis(bit)).at("k"), b.outputs().unpack(b.basis(bit)).at("k"))
          << what(row, Operand::a) << " bit " << bit;
    }
  }
}

TEST(Find, RowsAreUniqueAndFound) {
  for (const Instruction& row : all_instructions()) {
    int found = 0;
    for (const ProcessorRow& processor : processor_rows) {
      if (!row.is_of(processor.family)) continue;
      EXPECT_EQ(find(row.name, processor.target, row.wave), &row);
      ++found;
    }
    EXPECT_GE(found, is_rdna(row) ? 2 : 1);
  }
  EXPECT_EQ(find("v_wmma_f32_16x16x16_f61", Target::gfx1151), nullptr);
  EXPECT_EQ(find("v_wmma_f32_16x16x16_f16", Target::gfx1151, 16), nullptr);
}

TEST(Find, DenseByElementTypes) {
  const Instruction* const found11 =
      find_dense(Target::gfx1151, ElementType::f16, ElementType::f32);
  EXPECT_TRUE(found11->name == wmma11.name && found11->families == wmma11.families);
  const Instruction* const found12 =
      find_dense(Target::gfx1201, ElementType::f16, ElementType::f32);
  EXPECT_TRUE(found12->name == wmma12.name && found12->families == wmma12.families);
  EXPECT_EQ(find_dense(Target::gfx1201, ElementType::fp8, ElementType::f32)->name,
            "v_wmma_f32_16x16x16_fp8_fp8");
  EXPECT_EQ(find_dense(Target::gfx1151, ElementType::fp8, ElementType::f32), nullptr);
}

TEST(WhyMissing, ATypoGetsTheNearestNames) {
  EXPECT_EQ(why_missing("v_wmma_f32_16x16x16_f61", Target::gfx1151, 32).view(),
            "gfx1151 has no instruction v_wmma_f32_16x16x16_f61 in waves of 32; nearest names "
            "there: v_wmma_f32_16x16x16_f16, v_wmma_f32_16x16x16_bf16, v_wmma_f16_16x16x16_f16");
}

TEST(WhyMissing, AWrongTargetGetsTheRightOnes) {
  EXPECT_EQ(why_missing("v_wmma_f32_16x16x16_fp8_fp8", Target::gfx1151, 32).view(),
            "gfx1151 has no instruction v_wmma_f32_16x16x16_fp8_fp8 in waves of 32; it exists on "
            "gfx1200 (wave32), gfx1200 (wave64), gfx1201 (wave32), gfx1201 (wave64)");
}

// The figure that README and `heddle list` show.
TEST(Catalogue, NumberOfRowsByFamily) {
  std::map<std::pair<Family, int>, int> rows;
  for (const Instruction& row : all_instructions())
    for (const FamilyRow& family : family_rows)
      rows[{family.family, row.wave}] += row.is_of(family.family);
  EXPECT_EQ((rows[{Family::gfx11, 32}]), 6);
  EXPECT_EQ((rows[{Family::gfx11, 64}]), 6);
  // of AMD's later ones the last summand: loads that transpose
  EXPECT_EQ((rows[{Family::gfx12, 32}]), 22 + 2);
  EXPECT_EQ((rows[{Family::gfx12, 64}]), 22 + 2);
  EXPECT_EQ((rows[{Family::gfx908, 64}]), 20);
  EXPECT_EQ((rows[{Family::gfx90a, 64}]), 27);
  EXPECT_EQ((rows[{Family::gfx942, 64}]), 46);
  EXPECT_EQ((rows[{Family::gfx950, 64}]), 68 + 4);
  EXPECT_EQ((rows[{Family::gfx1250, 32}]), 43 + 8);
  // mma, and the last summand: moves of matrices
  EXPECT_EQ((rows[{Family::sm70, 32}]), 12);
  EXPECT_EQ((rows[{Family::sm75, 32}]), 12 + 11 + 7);
  EXPECT_EQ((rows[{Family::sm80, 32}]), 12 + 11 + 28 + 48 + 7);
  EXPECT_EQ((rows[{Family::sm89, 32}]), 12 + 11 + 28 + 48 + 16 + 8 + 7);
  EXPECT_EQ((rows[{Family::sm90, 32}]), 12 + 11 + 28 + 48 + 16 + 8 + 3 + 13);
  EXPECT_EQ((rows[{Family::sm100, 32}]), 12 + 11 + 28 + 48 + 16 + 8 + 3 + 28 + 148);
  EXPECT_EQ((rows[{Family::sm120, 32}]), 12 + 11 + 28 + 48 + 16 + 8 + 3 + 162 + 28);
  EXPECT_EQ(matrix_move_instructions.size(), 28u);
  EXPECT_EQ((rows[{Family::sm90, 128}]), 33);
  EXPECT_EQ((rows[{Family::sm100, 128}]), 10 * 6 + 2 * 5);
  EXPECT_EQ((rows[{Family::sm100, 256}]), 4 * 6 + 3 * 5);
}

// Whatever n a caller asks for (a tool asks for a multiple of 8 up to the row's own n, which is a
// whole column of tensor memory for some): UBSan watches the shift.
TEST(Catalogue, ANIsTakenOrRefusedWhateverItIs) {
  for (const Instruction& row : all_instructions()) {
    for (int n = -8; n <= 1024; ++n) {
      const auto sized = with_n(row, n);
      ASSERT_EQ(sized.has_value(), takes_n(row, n)) << row.name << " n " << n;
      if (!sized) continue;
      EXPECT_EQ(sized->n, n);
      EXPECT_TRUE(n == row.n || n <= 256) << row.name << " n " << n;
    }
  }
}

}  // namespace catalogue_test
}  // namespace heddle::instruction
