// CUTLASS's names, against the names of all its atoms (tests/data/cutlass_mma.json.gz) and of the
// wgmma and copy atoms that are recorded (tests/data/cutlass_wgmma.json.gz).
#include "heddle/instruction/cutlass_name.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/data/golden.h"

namespace heddle::instruction {
namespace cutlass_name_test {

static_assert(parse_cutlass_atom("SM80_16x8x16_F32F16F16F32_TN")->k == 16);
static_assert(parse_cutlass_atom("cute::SM80_16x8x16_F32F16F16F32_TN")->type_count == 4);
static_assert(parse_cutlass_atom("SM70_8x8x4_F32F16F16F32_NT")->layouts == "col.row");
static_assert(parse_cutlass_atom("SM90::GMMA::MMA_64x96x16_F32F16F16_SS")->memory == 'S');
static_assert(parse_cutlass_atom("SM90_64x96x16_F32F16F16_RS<GMMA::Major::K, GMMA::Major::MN>"));
static_assert(!parse_cutlass_atom("SM80_16x8_F32F16F16F32_TN"));
static_assert(!parse_cutlass_atom("SM80_16x8x16_F32F16F16F32F16_TN"));
static_assert(!parse_cutlass_atom("SM80_16x8x16_F32F17F16F32_TN"));
static_assert(!parse_cutlass_atom("SM_16x8x16_F32F16F16F32_TN"));
static_assert(!parse_cutlass_atom("SM120_16x8x32_TN<e4m3,e4m3,float"));
static_assert(!parse_cutlass_atom("SM120_16x8x32_TN<e4m3,e9m3,float>"));
static_assert(!parse_cutlass_atom(""));

/// The instruction of any row that is the atom `name`, or nothing. Fails where there are several.
std::optional<Instruction> instruction_of(const std::string& name) {
  std::optional<Instruction> found;
  const auto atom = parse_cutlass_atom(name);
  for (const Instruction& row : all_instructions()) {
    const auto match = atom ? match_cutlass_atom(row, *atom) : std::nullopt;
    if (!match) continue;
    EXPECT_FALSE(found) << name << ": " << found->name << " and " << row.name;
    found = match;
  }
  return found;
}

std::string without_saturation(std::string name) {
  const std::size_t at = name.find("_SATURATE");
  return at == std::string::npos ? name : name.erase(at);
}

// Of several names of one instruction ours is the oldest: those of SM75 came again with SM80.
TEST(CutlassName, EveryAtomsNameIsRead) {
  const llvm::json::Value golden = test::read_golden("cutlass_mma.json.gz");
  int same = 0, older = 0, none = 0;
  for (const llvm::json::Value& value : *golden.getAsObject()->getArray("atoms")) {
    const std::string name = value.getAsObject()->getString("name")->str();
    SCOPED_TRACE(name);
    const auto found = instruction_of(name);
    if (!found) {
      EXPECT_TRUE(name.starts_with("SM61") || name.find("C64") != std::string::npos);
      ++none;
      continue;
    }
    const std::string ours(cutlass_name(*found).view());
    if (ours == without_saturation(name)) {
      ++same;
      continue;
    }
    EXPECT_EQ(ours.substr(0, 5), "SM75_");
    EXPECT_EQ(ours.substr(4), name.substr(4, ours.size() - 4));
    ++older;
  }
  EXPECT_EQ(none, 7);
  EXPECT_EQ(older, 4);  // two of f16, S8S8 with and without saturation
  EXPECT_EQ(same + older + none, 248);
}

TEST(CutlassName, EveryWgmmaAtomsNameIsRead) {
  const llvm::json::Value golden = test::read_golden("cutlass_wgmma.json.gz");
  int count = 0;
  for (const llvm::json::Value& value : *golden.getAsObject()->getArray("gmma")) {
    const llvm::json::Object& atom = *value.getAsObject();
    const std::string name = atom.getString("name")->str();
    SCOPED_TRACE(name);
    const auto found = instruction_of(name);
    ASSERT_TRUE(found);
    EXPECT_EQ(test::numbers(*atom.getArray("MNK")),
              (std::vector<int>{found->m, found->n, found->k}));
    EXPECT_EQ(found->a.storage == Storage::shared_memory, *atom.getString("Aref") == "smem");
    EXPECT_EQ(cutlass_name(*found).view(), name);
    ++count;
  }
  EXPECT_GE(count, 40);
}

TEST(CutlassName, EveryCopyAtomIsARow) {
  std::set<std::string_view> copies;
  for (const CutlassCopy& copy : cutlass_copies) {
    int rows = 0;
    for (const Instruction& row : all_instructions()) {
      if (row.name != copy.ptx) continue;
      EXPECT_EQ(cutlass_name(row).view(), copy.name);
      EXPECT_TRUE(row.has(Witness::cutlass));
      ++rows;
    }
    EXPECT_EQ(rows, 1) << copy.name;
    copies.insert(copy.name);
  }
  const llvm::json::Value golden = test::read_golden("cutlass_wgmma.json.gz");
  for (const llvm::json::Value& value : *golden.getAsObject()->getArray("copy"))
    EXPECT_TRUE(copies.contains(value.getAsObject()->getString("name")->str()));
}

// The name of a row is read as that row, and of a wgmma for all n as each of them.
TEST(CutlassName, OurNamesAreReadBack) {
  int count = 0;
  for (const Instruction& row : all_instructions()) {
    for (int n = 8; n <= 256; n += 8) {
      const auto sized = row.n_sizes == 0 ? std::optional(row) : with_n(row, n);
      if (!sized || (row.n_sizes == 0 && n > 8)) continue;
      for (const bool shared : {false, true}) {
        if (shared && !is_wgmma(row)) continue;
        Instruction instruction = *sized;
        if (shared) instruction.a = {0, bits(row.a_type), "", Storage::shared_memory};
        const std::string name(cutlass_name(instruction).view());
        if (name.empty() || row.kind != Kind::multiply) continue;
        const auto found = instruction_of(name);
        ASSERT_TRUE(found) << name;
        EXPECT_EQ(found->name, row.name) << name;
        EXPECT_EQ(found->n, instruction.n) << name;
        EXPECT_EQ(found->a.storage, instruction.a.storage) << name;
        ++count;
      }
    }
  }
  EXPECT_GT(count, 1000);
}

TEST(CutlassName, ArgumentsAsInTheSource) {
  EXPECT_EQ(instruction_of("SM120_16x8x32_TN<float_e4m3_t, float_e2m1_t, half_t>")->name,
            "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.e4m3.e2m1.f16");
  EXPECT_FALSE(instruction_of("SM75_16x8x16_F32F16F16F32_TN"));  // sm_75 lacks it
}

}  // namespace cutlass_name_test
}  // namespace heddle::instruction
