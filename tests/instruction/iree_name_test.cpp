// IREE's names of instructions.
#include "heddle/instruction/iree_name.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "heddle/instruction/names.h"

namespace heddle::instruction {
namespace iree_name_test {

// Every case of IREE's enumeration but NV_WMMA and the virtual ones (iree-org/iree in November
// 2026).
constexpr const char* iree_names[] = {
    "MFMA_F32_16x16x4_F32",
    "MFMA_F32_16x16x16_F16",
    "MFMA_F32_32x32x8_F16",
    "MFMA_I32_16x16x16_I8",
    "MFMA_I32_32x32x8_I8",
    "MFMA_F32_16x16x8_BF16",
    "MFMA_F32_32x32x4_BF16",
    "MFMA_F64_16x16x4_F64",
    "MFMA_F32_16x16x16_BF16",
    "MFMA_F32_32x32x8_BF16",
    "MFMA_F32_16x16x32_F8E5M2FNUZ",
    "MFMA_F32_16x16x32_F8E5M2FNUZ_F8E4M3FNUZ",
    "MFMA_F32_16x16x32_F8E4M3FNUZ",
    "MFMA_F32_16x16x32_F8E4M3FNUZ_F8E5M2FNUZ",
    "MFMA_F32_32x32x16_F8E5M2FNUZ",
    "MFMA_F32_32x32x16_F8E5M2FNUZ_F8E4M3FNUZ",
    "MFMA_F32_32x32x16_F8E4M3FNUZ",
    "MFMA_F32_32x32x16_F8E4M3FNUZ_F8E5M2FNUZ",
    "MFMA_I32_16x16x32_I8",
    "MFMA_I32_32x32x16_I8",
    "MFMA_F32_4x4x4x16B_F16",
    "MFMA_F32_16x16x4x4B_F16",
    "MFMA_F32_32x32x4x2B_F16",
    "MFMA_F32_4x4x4x16B_BF16",
    "MFMA_F32_16x16x4x4B_BF16",
    "MFMA_F32_32x32x4x2B_BF16",
    "MFMA_F32_4x4x1x16B_F32",
    "MFMA_F32_16x16x1x4B_F32",
    "MFMA_F32_32x32x1x2B_F32",
    "MFMA_F64_4x4x4x4B_F64",
    "MFMA_I32_4x4x4x16B_I8",
    "MFMA_I32_16x16x4x4B_I8",
    "MFMA_I32_32x32x4x2B_I8",
    "MFMA_F32_16x16x32_F16",
    "MFMA_F32_32x32x16_F16",
    "MFMA_F32_16x16x32_BF16",
    "MFMA_F32_32x32x16_BF16",
    "MFMA_F32_16x16x32_F8E5M2",
    "MFMA_F32_16x16x32_F8E5M2_F8E4M3FN",
    "MFMA_F32_16x16x32_F8E4M3FN",
    "MFMA_F32_16x16x32_F8E4M3FN_F8E5M2",
    "MFMA_F32_32x32x16_F8E5M2",
    "MFMA_F32_32x32x16_F8E5M2_F8E4M3FN",
    "MFMA_F32_32x32x16_F8E4M3FN",
    "MFMA_F32_32x32x16_F8E4M3FN_F8E5M2",
    "MFMA_F32_16x16x128_F8E5M2",
    "MFMA_F32_16x16x128_F8E5M2_F8E4M3FN",
    "MFMA_F32_16x16x128_F8E4M3FN",
    "MFMA_F32_16x16x128_F8E4M3FN_F8E5M2",
    "MFMA_F32_32x32x64_F8E5M2",
    "MFMA_F32_32x32x64_F8E5M2_F8E4M3FN",
    "MFMA_F32_32x32x64_F8E4M3FN",
    "MFMA_F32_32x32x64_F8E4M3FN_F8E5M2",
    "MFMA_I32_16x16x64_I8",
    "MFMA_I32_32x32x32_I8",
    "WMMAR3_F32_16x16x16_F16",
    "WMMAR3_F16_16x16x16_F16",
    "WMMAR3_F32_16x16x16_BF16",
    "WMMAR3_BF16_16x16x16_BF16",
    "WMMAR3_I32_16x16x16_I8",
    "WMMAR4_F32_16x16x16_F16",
    "WMMAR4_F16_16x16x16_F16",
    "WMMAR4_F32_16x16x16_BF16",
    "WMMAR4_BF16_16x16x16_BF16",
    "WMMAR4_F32_16x16x16_F8E5M2",
    "WMMAR4_F32_16x16x16_F8E5M2_F8E4M3FN",
    "WMMAR4_F32_16x16x16_F8E4M3FN",
    "WMMAR4_F32_16x16x16_F8E4M3FN_F8E5M2",
    "WMMAR4_I32_16x16x16_I8",
    "WMMA_F32_16x16x4_F32",
    "WMMA_F32_16x16x32_F16",
    "WMMA_F32_16x16x32_BF16",
    "WMMA_F16_16x16x32_F16",
    "WMMA_BF16_16x16x32_BF16",
    "WMMA_F32_16x16x64_F8E4M3FN",
    "WMMA_F32_16x16x64_F8E4M3FN_F8E5M2",
    "WMMA_F32_16x16x64_F8E5M2",
    "WMMA_F32_16x16x64_F8E5M2_F8E4M3FN",
    "WMMA_F16_16x16x64_F8E4M3FN",
    "WMMA_F16_16x16x64_F8E4M3FN_F8E5M2",
    "WMMA_F16_16x16x64_F8E5M2",
    "WMMA_F16_16x16x64_F8E5M2_F8E4M3FN",
    "WMMA_I32_16x16x64_I8",
    "WMMA_F32_16x16x128_F8E5M2",
    "WMMA_F32_16x16x128_F8E5M2_F8E4M3FN",
    "WMMA_F32_16x16x128_F8E4M3FN",
    "WMMA_F32_16x16x128_F8E4M3FN_F8E5M2",
    "WMMA_F16_16x16x128_F8E5M2",
    "WMMA_F16_16x16x128_F8E5M2_F8E4M3FN",
    "WMMA_F16_16x16x128_F8E4M3FN",
    "WMMA_F16_16x16x128_F8E4M3FN_F8E5M2",
    "NV_MMA_SYNC_F32_16x8x16_F16",
    "NV_MMA_SYNC_F16_16x8x16_F16",
    "NV_MMA_SYNC_F32_16x8x16_BF16",
    "NV_MMA_SYNC_F32_16x8x32_F8E4M3FN",
    "NV_MMA_SYNC_F32_16x8x32_F8E5M2",
};

TEST(IreeName, IsFoundAndMeansOneInstruction) {
  for (const char* name : iree_names) {
    int found = 0;
    for (const ProcessorRow& processor : processor_rows)
      found += find_by_any_name(name, processor.target).has_value();
    EXPECT_GT(found, 0) << name;
  }
  // What the ISAs call some of them.
  const std::tuple<const char*, Target, const char*> some[] = {
      {"MFMA_F32_16x16x16_F16", Target::gfx942, "v_mfma_f32_16x16x16_f16"},
      {"MFMA_F32_16x16x16_BF16", Target::gfx942, "v_mfma_f32_16x16x16_bf16"},
      {"MFMA_F32_16x16x8_BF16", Target::gfx908, "v_mfma_f32_16x16x8bf16"},
      {"MFMA_I32_32x32x16_I8", Target::gfx942, "v_mfma_i32_32x32x16_i8"},
      {"MFMA_F32_16x16x32_F8E5M2FNUZ_F8E4M3FNUZ", Target::gfx942, "v_mfma_f32_16x16x32_bf8_fp8"},
      {"MFMA_F32_4x4x4x16B_F16", Target::gfx942, "v_mfma_f32_4x4x4_16b_f16"},
      {"MFMA_F64_16x16x4_F64", Target::gfx90a, "v_mfma_f64_16x16x4f64"},
      {"WMMAR3_I32_16x16x16_I8", Target::gfx1151, "v_wmma_i32_16x16x16_iu8"},
      {"WMMAR4_F32_16x16x16_F8E4M3FN_F8E5M2", Target::gfx1201, "v_wmma_f32_16x16x16_fp8_bf8"},
      {"WMMA_F16_16x16x128_F8E5M2", Target::gfx1250, "v_wmma_f16_16x16x128_bf8_bf8"},
      {"NV_MMA_SYNC_F32_16x8x16_BF16", Target::sm_90,
       "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"}};
  for (const auto& [name, target, mnemonic] : some) {
    const auto found = find_by_any_name(name, target);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->name, mnemonic);
  }
  // The types that a name gives to f8f6f4 are the row's then.
  const auto chosen = find_by_any_name("MFMA_F32_16x16x128_F8E5M2_F8E4M3FN", Target::gfx950);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->name, "v_mfma_f32_16x16x128_f8f6f4");
  EXPECT_EQ(chosen->a_type, ElementType::bf8);
  EXPECT_EQ(chosen->b_type, ElementType::fp8);
  EXPECT_FALSE(find_by_any_name("WMMAR3_F32_16x16x16_F16", Target::gfx1201));
  for (const char* wrong :
       {"MFMA_", "MFMA_F32", "MFMA_F32_16x16_F16", "MFMA_F32_16x16x16x_F16",
        "MFMA_F32_16x16x16B_F16", "MFMA_F32_16x16x16x1_F16", "MFMA_F32_16x16x16_F16_",
        "MFMA_F32_99999999999x1x1_F16", "VMFMA_F32_16x16x32_F16"})
    for (const ProcessorRow& processor : processor_rows)
      EXPECT_FALSE(find_by_any_name(wrong, processor.target)) << wrong;
}

}  // namespace iree_name_test
}  // namespace heddle::instruction
