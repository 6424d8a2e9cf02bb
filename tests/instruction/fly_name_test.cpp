// FlyDSL's names of instructions.
#include "heddle/instruction/fly_name.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "heddle/instruction/names.h"

namespace heddle::instruction {
namespace fly_name_test {

// Types of FlyDSL's tests, each with the operation of MLIR's rocdl dialect that those tests say it
// becomes (ROCm/FlyDSL, tests/mlir/Conversion, in November 2026), as a mnemonic.
TEST(FlyName, IsTheInstructionItBecomes) {
  for (const auto& [name, target, mnemonic] :
       {std::tuple{"!fly_rocdl.atom.cdna3.mfma<16x16x4, (f32, f32) -> f32>", Target::gfx942,
                   "v_mfma_f32_16x16x4_f32"},
        std::tuple{"!fly.mma_atom<!fly_rocdl.cdna3.mfma<16x16x16, (bf16, bf16) -> f32>>",
                   Target::gfx942, "v_mfma_f32_16x16x16_bf16"},
        std::tuple{"!fly.mma_atom<!fly_rocdl.cdna3.mfma<16x16x32, (f16, f16) -> f32>>",
                   Target::gfx950, "v_mfma_f32_16x16x32_f16"},
        std::tuple{"!fly.mma_atom<!fly_rocdl.gfx11.wmma<16x16x16, (bf16, bf16) -> f32, signA = "
                   "false, signB = false, clamp = false>>",
                   Target::gfx1151, "v_wmma_f32_16x16x16_bf16"},
        std::tuple{"!fly.mma_atom<!fly_rocdl.gfx120x.wmma<16x16x16, (bf16, bf16) -> f32>>",
                   Target::gfx1201, "v_wmma_f32_16x16x16_bf16"},
        std::tuple{"!fly.mma_atom<!fly_rocdl.gfx1250.wmma<16x16x32, (bf16, bf16) -> f32, signA = "
                   "false, signB = false, clamp = false, modC = 1, reuseA = true, reuseB = true>>",
                   Target::gfx1250, "v_wmma_f32_16x16x32_bf16"},
        std::tuple{"!fly.mma_atom<!fly_rocdl.gfx1250.wmma_scale<16x16x128, (f8E4M3FN, f8E4M3FN) -> "
                   "f32, opselA = 0, opselB = 0, modC = 0, reuseA = false, reuseB = false, "
                   "blockSize = 32>>",
                   Target::gfx1250, "v_wmma_scale_f32_16x16x128_f8f6f4"}}) {
    const auto found = find_by_any_name(name, target);
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_EQ(found->name, mnemonic) << name;
  }
  const auto mixed = find_by_any_name(
      "!fly_rocdl.gfx1250.wmma_scale<16x16x128, (f8E4M3FN, f4E2M1FN) -> f32>", Target::gfx1250);
  ASSERT_TRUE(mixed.has_value());
  EXPECT_EQ(mixed->b_type, ElementType::fp4);
}

TEST(FlyName, OfAnotherGenerationOrCutOffIsNone) {
  EXPECT_FALSE(
      find_by_any_name("!fly_rocdl.gfx11.wmma<16x16x16, (bf16, bf16) -> f32>", Target::gfx1201));
  const std::string whole = "!fly.mma_atom<!fly_rocdl.cdna3.mfma<16x16x16, (bf16, bf16) -> f32";
  for (std::size_t length = 0; length <= whole.size(); ++length)
    EXPECT_FALSE(parse_fly_name(whole.substr(0, length))) << whole.substr(0, length);
  for (const char* wrong : {"!fly_rocdl.cdna9.mfma<16x16x16, (f16, f16) -> f32>",
                            "!fly_rocdl.cdna3.fma<16x16x16, (f16, f16) -> f32>",
                            "!fly_rocdl.cdna3.mfma<16x16x99999, (f16, f16) -> f32>",
                            "!fly_rocdl.cdna3.mfma<16x16x16, (f17, f16) -> f32>"})
    EXPECT_FALSE(parse_fly_name(wrong)) << wrong;
}

}  // namespace fly_name_test
}  // namespace heddle::instruction
