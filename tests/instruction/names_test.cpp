// An instruction by every name that a reader may bring.
#include "heddle/instruction/names.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::instruction {
namespace names_test {

static_assert(find_by_any_name("SM80_16x8x16_F32F16F16F32_TN", Target::sm_80)->k == 16);
static_assert(find_by_any_name("wgmma.mma_async.m64n96k16.f32.f16.f16", Target::sm_90)->n == 96);

/// Calls `check(row, target)` with every row on every processor that has it.
void for_each_row_and_target(auto&& check) {
  int count = 0;
  for (const Instruction& row : all_instructions()) {
    for (const ProcessorRow& processor : processor_rows) {
      if (!exists_on(row, processor.target)) continue;
      SCOPED_TRACE(std::string(processor.name) + " " + std::string(row.name));
      check(row, processor.target);
      ++count;
    }
  }
  EXPECT_GT(count, 1000);
}

TEST(Names, MnemonicsAreFound) {
  for_each_row_and_target([](const Instruction& row, Target target) {
    const auto found = find_by_any_name(row.name, target, row.wave > 64 ? 0 : row.wave);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->name, row.name);
    EXPECT_EQ(found->wave, row.wave);
  });
}

// An intrinsic may be that of several rows of a processor: what tells them apart is an argument or
// lies in a descriptor. Then the first has it.
bool is_first_of_intrinsic(const Instruction& row, Target target) {
  for (const Instruction& other : all_instructions())
    if (other.intrinsic == row.intrinsic && (other.wave == row.wave || other.wave > 64) &&
        exists_on(other, target))
      return other.name == row.name;
  return false;
}

TEST(Names, IntrinsicsAreFound) {
  for_each_row_and_target([](const Instruction& row, Target target) {
    if (row.intrinsic.empty()) return;
    const auto found = find_by_any_name(row.intrinsic, target, row.wave);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->intrinsic, row.intrinsic);
    EXPECT_EQ(found->name == row.name, is_first_of_intrinsic(row, target));
    EXPECT_FALSE(find_by_any_name(std::string(row.intrinsic) + "x", target, row.wave));
  });
}

// Clang's builtin is the intrinsic with underscores, of RDNA with the lanes of a wave
// (builtin_names.cpp asks clang).
TEST(Names, BuiltinsAreFound) {
  for_each_row_and_target([](const Instruction& row, Target target) {
    const bool nvidia = is_nvidia(row.family());
    if (row.intrinsic.empty()) return;
    if (row.kind == Kind::load && !nvidia) return;  // transpose_load_table_test.cpp
    std::string builtin(nvidia ? "__nvvm_" : "__builtin_amdgcn_");
    builtin += row.intrinsic.substr(nvidia ? 10 : 12);
    for (char& c : builtin)
      if (c == '.') c = '_';
    if (is_rdna(row.family())) builtin += "_w" + std::to_string(row.wave);
    const bool is_of_gfx12 = row.family() == Family::gfx12 && !row.is_sparse();
    const std::string without = builtin;
    if (is_of_gfx12) builtin += "_gfx12";
    const auto found = find_by_any_name(builtin, target);
    ASSERT_TRUE(found) << builtin;
    // The builtin of the other generation is not that of this one.
    EXPECT_FALSE(find_by_any_name(is_of_gfx12 ? without : builtin + "_gfx12", target)) << builtin;
    EXPECT_EQ(found->name == row.name, is_first_of_intrinsic(row, target));
    // 256: of the intrinsics of 128.
    if (!nvidia || row.wave <= 128) EXPECT_EQ(found->wave, row.wave);
  });
}

TEST(Names, CutlassNamesAreFound) {
  int count = 0;
  for_each_row_and_target([&](const Instruction& row, Target target) {
    const auto name = cutlass_name(row);
    if (name.size() == 0 || row.n_sizes != 0) return;
    const auto found = find_by_any_name(name, target);
    ASSERT_TRUE(found) << name.view();
    EXPECT_EQ(found->name, row.name);
    ++count;
  });
  EXPECT_GT(count, 300);
}

struct Name {
  std::string_view text;
  Target target;
  std::string_view row;
};

// As they stand in others' code: LLVM's tests, clang's, CUTLASS, people's kernels.
constexpr std::array seen_elsewhere{
    Name{"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", Target::sm_80,
         "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32"},
    Name{"llvm.nvvm.mma.m16n8k32.row.col.satfinite.s8.u8", Target::sm_80,
         "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32"},
    Name{"llvm.nvvm.mma.block.scale.m16n8k64.row.col.mxf4.f32.e2m1.e2m1.f32.ue8m0", Target::sm_120,
         "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32."
         "ue8m0"},
    Name{"mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1."
         "f32.ue4m3",
         Target::sm_120,
         "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1."
         "f32.ue4m3"},
    Name{"mma.m8n8k4.f32.f16.f16.f32", Target::sm_70,
         "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32"},
    Name{"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3", Target::sm_75,
         "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"},
    Name{"SM75_U32x4_LDSM_N", Target::sm_90, "ldmatrix.sync.aligned.m8n8.x4.shared.b16"},
    Name{"llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16", Target::gfx1151,
         "v_wmma_f32_16x16x16_f16"},
    Name{"llvm.amdgcn.swmmac.f32.16x16x32.f16.v8f32.v8f16.v16f16.i16", Target::gfx1201,
         "v_swmmac_f32_16x16x32_f16"},
    Name{"__builtin_amdgcn_wmma_f16_16x16x16_f16_tied_w32", Target::gfx1100,
         "v_wmma_f16_16x16x16_f16"},
    Name{"__builtin_amdgcn_mfma_f32_32x32x4bf16_1k", Target::gfx90a, "v_mfma_f32_32x32x4bf16_1k"},
    Name{"v_mfma_f32_32x32x8f16", Target::gfx942, "v_mfma_f32_32x32x8_f16"},
    Name{"__builtin_amdgcn_mfma_f32_32x32x8f16", Target::gfx942, "v_mfma_f32_32x32x8_f16"},
    Name{"v_mfma_f32_32x32x8f16", Target::gfx942, "v_mfma_f32_32x32x8_f16"},
    Name{"v_mfma_f32_32x32x8f16", Target::gfx908, "v_mfma_f32_32x32x8f16"},
};

TEST(Names, AsSeenElsewhere) {
  for (const Name& name : seen_elsewhere) {
    const auto found = find_by_any_name(name.text, name.target);
    ASSERT_TRUE(found) << name.text;
    EXPECT_EQ(found->name, name.row) << name.text;
  }
}

TEST(Names, AWaveInTheNameCounts) {
  const std::string wave64 = "__builtin_amdgcn_wmma_f32_16x16x16_f16_w64";
  EXPECT_EQ(find_by_any_name(wave64, Target::gfx1100)->wave, 64);
  EXPECT_EQ(find_by_any_name(wave64, Target::gfx1100, 64)->wave, 64);
  EXPECT_FALSE(find_by_any_name(wave64, Target::gfx1100, 32));
}

TEST(Names, OfNothing) {
  for (const ProcessorRow& processor : processor_rows)
    for (const std::string_view name : {"", ".", "SM", "SM80_", "mma", "llvm.", "__nvvm_", "x<y>",
                                        "mma.sync.aligned", "SM80_16x8x16_TN", "::"})
      EXPECT_FALSE(find_by_any_name(name, processor.target)) << name;
}

// No constant expression: a compiler tries to evaluate one where it stands, in seconds.
std::string missing(std::string_view name, Target target, int wave = 0) {
  return std::string(why_missing_by_any_name(name, target, wave).view());
}

TEST(WhyMissing, ATypoGetsTheNearestInItsOwnStyle) {
  EXPECT_EQ(missing("SM80_16x8x16_F32F16F16F23_TN", Target::sm_80),
            "sm_80 has no instruction SM80_16x8x16_F32F16F16F23_TN; nearest names there: "
            "SM80_16x8x16_F32F16F16F32_TN, SM80_16x8x16_F16F16F16F16_TN, "
            "SM80_16x8x16_F32BF16BF16F32_TN");
  const std::string ptx = missing("mma.m16n8k16.f32.f16.f16.f23", Target::sm_80);
  EXPECT_NE(ptx.find("there: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32,"),
            std::string::npos)
      << ptx;
  const std::string llvm = missing("llvm.nvvm.mma.m16n8k16.row.col.bf61", Target::sm_80);
  EXPECT_NE(llvm.find("there: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32,"),
            std::string::npos)
      << llvm;
}

TEST(WhyMissing, AnotherProcessorHasIt) {
  EXPECT_EQ(
      missing("SM90_16x8x8_F64F64F64F64_TN", Target::sm_80),
      "sm_80 has no instruction SM90_16x8x8_F64F64F64F64_TN; it exists on sm_90, sm_90a, sm_100, "
      "sm_103, sm_110, sm_120, sm_121");
  EXPECT_EQ(missing("wgmma.mma_async.m64n96k16.f32.f16.f16", Target::sm_100),
            "sm_100 has no instruction wgmma.mma_async.m64n96k16.f32.f16.f16; it exists on sm_90, "
            "sm_90a");
}

TEST(WhyMissing, AMDsNamesReadAsBefore) {
  for (const std::string_view name : {"v_wmma_f32_16x16x16_f61", "v_wmma_f32_16x16x16_fp8_fp8"})
    EXPECT_EQ(why_missing_by_any_name(name, Target::gfx1151, 32).view(),
              why_missing(name, Target::gfx1151, 32).view());
}

// Names of LLVM's machine instructions, and capitals as AMD's documents have them.
TEST(Names, MnemonicsInCapitalsAndWithSuffixesAreFound) {
  const auto name = [](std::string_view text, Target target, int wave = 0) {
    const auto found = find_by_any_name(text, target, wave);
    return found ? std::string(found->name) + " " + std::to_string(found->wave) : "none";
  };
  EXPECT_EQ(name("V_WMMA_F32_16X16X16_F16", Target::gfx1151), "v_wmma_f32_16x16x16_f16 32");
  EXPECT_EQ(name("V_WMMA_F32_16X16X16_F16_w64", Target::gfx1151), "v_wmma_f32_16x16x16_f16 64");
  EXPECT_EQ(name("V_WMMA_F32_16X16X16_F16_w64", Target::gfx1151, 32), "none");
  EXPECT_EQ(name("V_MFMA_F32_32X32X8F16_e64", Target::gfx942), "v_mfma_f32_32x32x8_f16 64");
  EXPECT_EQ(name("v_mfma_f32_32x32x8_f16_e64", Target::gfx942), "v_mfma_f32_32x32x8_f16 64");
  EXPECT_EQ(name("V_" + std::string(200, 'X'), Target::gfx942), "none");
}

}  // namespace names_test
}  // namespace heddle::instruction
