// The published rates against what else is published: the cycles of every instruction that AMD's
// calculator knows, and the peaks of products.
#include "heddle/instruction/rates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/data/golden.h"

namespace heddle::instruction {
namespace rates_test {

static_assert(
    rate(get<"v_wmma_f32_16x16x16_f16", Target::gfx1151>(), Target::gfx1151)->multiply_adds == 256);

// A CU of CDNA and a WGP of RDNA, which is two CUs, have four units that each take `cycles`.
TEST(Rates, AreTheCyclesOfAmdsCalculator) {
  const llvm::json::Value golden = test::read_golden("amd_cycles.json");
  int compared = 0;
  for (const auto& [target_name, instructions] : *golden.getAsObject()->getObject("cycles")) {
    const ProcessorRow* processor = find_processor(target_name.str());
    ASSERT_NE(processor, nullptr);
    const int units = is_cdna(processor->family) ? 4 : 2;
    for (const auto& [name, value] : *instructions.getAsObject()) {
      SCOPED_TRACE(target_name.str() + " " + name.str());
      const Instruction* row = find(name.str(), processor->target);
      ASSERT_NE(row, nullptr);
      const int work = row->m * row->n * row->k * row->blocks;
      const auto published = rate(*row, processor->target);
      ASSERT_TRUE(published.has_value());
      EXPECT_EQ(published->multiply_adds, work / static_cast<int>(*value.getAsInteger()) * units);
      EXPECT_FALSE(published->source.empty());
      EXPECT_EQ(matrix_cycles(*row, processor->target), static_cast<int>(*value.getAsInteger()));
      ++compared;
    }
  }
  EXPECT_EQ(compared, 20 + 27 + 46 + 6 + 22);
}

TEST(Rates, VectorInstructionsIssueBesideAsAmdsCalculatorSays) {
  const llvm::json::Value golden = test::read_golden("amd_cycles.json");
  int compared = 0;
  for (const auto& [target, instructions] : *golden.getAsObject()->getObject("co_execution")) {
    const ProcessorRow* processor = find_processor(target.str());
    for (const auto& [name, value] : *instructions.getAsObject()) {
      SCOPED_TRACE(target.str() + " " + name.str());
      const Instruction* row = find(name.str(), processor->target);
      ASSERT_NE(row, nullptr);
      const auto published = co_execution(*row, processor->target);
      ASSERT_TRUE(published.has_value());
      EXPECT_EQ(published->cycles, static_cast<int>(*value.getAsInteger()));
      ++compared;
    }
  }
  EXPECT_EQ(compared, 20 + 27 + 46 + 6 + 22);
}

// No document has figures of gfx950: these follow from the rule in the pull request's description,
// a slot of four cycles and one more for each 16 bytes of A or B that a lane holds. The calculator's
// figures of gfx942, above, follow from the same rule.
TEST(Rates, VectorInstructionsIssueBesideOnGfx950) {
  const auto first = [](std::string_view name) {
    return co_execution(*find(name, Target::gfx950), Target::gfx950)->first_cycle;
  };
  EXPECT_EQ(first("v_mfma_f32_16x16x32_f16"), 8);
  EXPECT_EQ(first("v_mfma_f32_16x16x16_f16"), 4);
  EXPECT_EQ(first("v_mfma_f32_16x16x128_f8f6f4"), 12);
  EXPECT_EQ(first("v_mfma_f32_16x16x4_f32"), 0);
}

/// A product's peak in 10^12 operations a second, of dense matrices, with its compute units and
/// its clock. A published peak is rounded to its last digit.
struct Peak {
  Target target;
  ElementType type, into;
  double peak, digit;
  int units, megahertz;
  const char* source;
};

using enum ElementType;
constexpr const char* mi100 = "AMD Instinct MI100 data sheet";
constexpr const char* mi250x = "AMD Instinct MI250X data sheet";
constexpr const char* mi300x =
    "AMD Instinct MI300X data sheet; ROCm documentation, MI300 microarchitecture";
constexpr const char* mi355x = "AMD Instinct MI355X data sheet";
constexpr const char* rx9070 = "AMD Radeon RX 9070 XT, specifications";
constexpr const char* t4 = "NVIDIA T4 data sheet";
constexpr const char* a100 = "NVIDIA A100 white paper, table 1";
constexpr const char* ga102 = "NVIDIA Ampere GA102 white paper, table 2, RTX 3090";
constexpr const char* ada = "NVIDIA Ada white paper 2.1, appendix A, RTX 4090";
constexpr const char* h100 = "NVIDIA H100 white paper, table 1, SXM5";
constexpr const char* rtx50 = "NVIDIA RTX Blackwell white paper 1.1, appendix A, RTX 5090";

constexpr Peak peaks[]{
    {Target::gfx908, f32, f32, 46.1, 0.1, 120, 1502, mi100},
    {Target::gfx908, f16, f32, 184.6, 0.1, 120, 1502, mi100},
    {Target::gfx908, bf16, f32, 92.3, 0.1, 120, 1502, mi100},
    {Target::gfx90a, f64, f64, 95.7, 0.1, 220, 1700, mi250x},
    {Target::gfx90a, f32, f32, 95.7, 0.1, 220, 1700, mi250x},
    {Target::gfx90a, f16, f32, 383.0, 0.1, 220, 1700, mi250x},
    {Target::gfx90a, bf16, f32, 383.0, 0.1, 220, 1700, mi250x},
    {Target::gfx90a, i8, i32, 383.0, 0.1, 220, 1700, mi250x},
    {Target::gfx942, f64, f64, 163.4, 0.1, 304, 2100, mi300x},
    {Target::gfx942, f32, f32, 163.4, 0.1, 304, 2100, mi300x},
    {Target::gfx942, xf32, f32, 653.7, 0.1, 304, 2100, mi300x},
    {Target::gfx942, f16, f32, 1307.4, 0.1, 304, 2100, mi300x},
    {Target::gfx942, bf16, f32, 1307.4, 0.1, 304, 2100, mi300x},
    {Target::gfx942, fp8_fnuz, f32, 2614.9, 0.1, 304, 2100, mi300x},
    {Target::gfx942, i8, i32, 2614.9, 0.1, 304, 2100, mi300x},
    {Target::gfx950, f64, f64, 78.6, 0.1, 256, 2400, mi355x},
    {Target::gfx950, f16, f32, 2516.6, 0.1, 256, 2400, mi355x},
    {Target::gfx950, bf16, f32, 2516.6, 0.1, 256, 2400, mi355x},
    {Target::gfx950, fp8, f32, 5033.2, 0.1, 256, 2400, mi355x},
    {Target::gfx950, i8, i32, 5033.2, 0.1, 256, 2400, mi355x},
    {Target::gfx1201, f16, f32, 195, 1, 64, 2970, rx9070},
    {Target::gfx1201, fp8, f32, 389, 1, 64, 2970, rx9070},
    {Target::gfx1201, iu8, i32, 389, 1, 64, 2970, rx9070},
    {Target::gfx1201, iu4, i32, 779, 1, 64, 2970, rx9070},
    {Target::sm_75, f16, f32, 65.1, 0.1, 40, 1590, t4},
    {Target::sm_75, i8, i32, 130.2, 0.1, 40, 1590, t4},
    {Target::sm_75, i4, i32, 260.5, 0.1, 40, 1590, t4},
    {Target::sm_80, f64, f64, 19.5, 0.1, 108, 1410, a100},
    {Target::sm_80, xf32, f32, 156, 1, 108, 1410, a100},
    {Target::sm_80, f16, f32, 312, 1, 108, 1410, a100},
    {Target::sm_80, i8, i32, 624, 1, 108, 1410, a100},
    {Target::sm_80, i4, i32, 1248, 1, 108, 1410, a100},
    {Target::sm_80, b1, i32, 4992, 10, 108, 1410, a100},
    {Target::sm_86, xf32, f32, 35.6, 0.1, 82, 1695, ga102},
    {Target::sm_86, f16, f16, 142, 1, 82, 1695, ga102},
    {Target::sm_86, f16, f32, 71, 1, 82, 1695, ga102},
    {Target::sm_86, i8, i32, 284, 1, 82, 1695, ga102},
    {Target::sm_86, i4, i32, 568, 2, 82, 1695, ga102},
    {Target::sm_89, xf32, f32, 82.6, 0.1, 128, 2520, ada},
    {Target::sm_89, f16, f16, 330.3, 0.1, 128, 2520, ada},
    {Target::sm_89, bf16, f32, 165.2, 0.1, 128, 2520, ada},
    {Target::sm_89, fp8, f16, 660.6, 0.1, 128, 2520, ada},
    {Target::sm_89, fp8, f32, 330.3, 0.1, 128, 2520, ada},
    {Target::sm_89, i4, i32, 1321.2, 0.1, 128, 2520, ada},
    {Target::sm_90, f64, f64, 66.9, 0.1, 132, 1980, h100},
    {Target::sm_90, xf32, f32, 494.7, 0.1, 132, 1830, h100},
    {Target::sm_90, f16, f32, 989.4, 0.1, 132, 1830, h100},
    {Target::sm_90, fp8, f32, 1978.9, 0.1, 132, 1830, h100},
    {Target::sm_90, i8, i32, 1978.9, 0.1, 132, 1830, h100},
    {Target::sm_120, bf16, f32, 209.5, 0.1, 170, 2407, rtx50},
    {Target::sm_120, f16, f16, 419, 1, 170, 2407, rtx50},
    {Target::sm_120, fp8, f32, 419, 1, 170, 2407, rtx50},
    {Target::sm_120, fp8, f16, 838, 1, 170, 2407, rtx50},
    {Target::sm_120, fp4, f32, 1676, 1, 170, 2407, rtx50},
};

/// A deepest instruction of these types, made up: the catalogue need not have one.
Instruction multiplication(Target target, ElementType type, ElementType into) {
  Instruction row{};
  row.families = processor(target).family;
  row.blocks = 1;
  row.k = 1 << 20;
  row.a_type = row.b_type = type;
  row.d_type = into;
  return row;
}

TEST(Rates, AreThePeaksOfProducts) {
  for (const Peak& peak : peaks) {
    SCOPED_TRACE(std::string(name(peak.target)) + " " + std::string(name(peak.type)) + ", " +
                 peak.source);
    const auto published = rate(multiplication(peak.target, peak.type, peak.into), peak.target);
    ASSERT_TRUE(published.has_value());
    const double operations = 2e6 * published->multiply_adds * peak.units * peak.megahertz;
    EXPECT_NEAR(operations / 1e12, peak.peak, peak.digit * 1.01);
  }
}

TEST(Rates, EveryFigureHasOneRow) {
  for (const RateRow& row : rate_rows) {
    EXPECT_FALSE(row.source.empty());
    EXPECT_EQ(published_type(row.type), row.type);
    EXPECT_TRUE(row.sparse == 1 || row.sparse == 2);
    for (const RateRow& other : rate_rows) {
      const bool same_types =
          row.type == other.type && (!row.into || !other.into || row.into == other.into);
      if (&row == &other || !same_types || (row.forms & other.forms) == 0) continue;
      EXPECT_EQ(row.targets.bits & other.targets.bits, 0u) << name(row.type);
    }
  }
}

TEST(Rates, NoSourceNoFigure) {
  // Types that are mixed, loads, sparse A without a sparse figure, deeper instructions beside.
  Instruction row = multiplication(Target::sm_100, f16, f32);
  EXPECT_FALSE(rate(row, Target::sm_100).has_value());
  row = multiplication(Target::sm_90, fp8, f32);
  row.b_type = f16;
  EXPECT_FALSE(rate(row, Target::sm_90).has_value());
  row = multiplication(Target::sm_90, f16, f32);
  row.kind = Kind::load;
  EXPECT_FALSE(rate(row, Target::sm_90).has_value());
  EXPECT_FALSE(rate(*find("v_mfma_f32_32x32x8_f16", Target::gfx950), Target::gfx950).has_value());
  EXPECT_EQ(form(*find("v_mfma_f32_32x32x8_f16", Target::gfx942), Target::gfx942), Form::deepest);
  EXPECT_EQ(form(*find("v_mfma_f32_32x32x8_f16", Target::gfx950), Target::gfx950), Form::shallow);
}

TEST(Rates, SparseFiguresCountTheZeros) {
  const Target target = Target::gfx1201;
  EXPECT_EQ(rate(*find("v_swmmac_f32_16x16x32_f16", target), target)->multiply_adds,
            2 * rate(*find("v_wmma_f32_16x16x16_f16", target), target)->multiply_adds);
}

// What the pull request says in words, and nothing of what it does not name.
TEST(Rates, LatenciesOfGfx1250) {
  const auto cycles = [](std::string_view name) {
    const Instruction* row = find(name, Target::gfx1250);
    EXPECT_NE(row, nullptr) << name;
    const auto published = latency(*row, Target::gfx1250);
    return published ? published->cycles : 0;
  };
  EXPECT_EQ(cycles("v_wmma_f32_16x16x64_fp8_bf8"), 4);
  EXPECT_EQ(cycles("v_wmma_f16_16x16x128_bf8_bf8"), 8);
  EXPECT_EQ(cycles("v_wmma_f32_16x16x32_f16"), 8);
  EXPECT_EQ(cycles("v_wmma_bf16f32_16x16x32_bf16"), 8);
  EXPECT_EQ(cycles("v_wmma_f32_16x16x128_f8f6f4"), 8);
  for (const char* name : {"v_wmma_f32_16x16x4_f32", "v_wmma_i32_16x16x64_iu8",
                           "v_wmma_f32_32x16x128_f4", "v_swmmac_f32_16x16x64_f16"})
    EXPECT_EQ(cycles(name), 0) << name;
  const Instruction* scaled = find("v_wmma_scale_f32_16x16x128_f8f6f4", Target::gfx1250);
  EXPECT_EQ(latency(*scaled, Target::gfx1250)->of_fp4, 4);
  for (std::size_t a = 0; a < scaled->formats.size(); ++a)
    for (std::size_t b = 0; b < scaled->formats.size(); ++b) {
      auto chosen = *with_formats(*scaled, static_cast<int>(a), static_cast<int>(b));
      chosen.formats = {};  // as a name that has chosen
      const bool both = chosen.a_type == fp4 && chosen.b_type == fp4;
      EXPECT_EQ(latency(chosen, Target::gfx1250)->cycles, both ? 4 : 8);
    }
  EXPECT_FALSE(
      latency(*find("v_wmma_f32_16x16x16_f16", Target::gfx1201), Target::gfx1201).has_value());
}

}  // namespace rates_test
}  // namespace heddle::instruction
