// Every processor's row against LLVM 22, which knows the processors as subtarget features.
#include "heddle/instruction/target.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/instruction/llvm_witness.h"

namespace heddle::instruction {
namespace target_test {

using test::compile_ir;
using test::has_feature;

std::string kernel(const std::string& body) {
  return "define amdgpu_kernel void @k() {\n" + body + "  ret void\n}\n";
}

TEST(Target, NamesAndFamiliesAreLlvms) {
  for (const ProcessorRow& row : target_rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(&instruction::row(row.target), &processor(row.target));
    EXPECT_EQ(find_target(row.name), &processor(row.target));
    EXPECT_EQ(has_feature(row.target, "gfx11"), row.family == Family::gfx11);
    EXPECT_EQ(has_feature(row.target, "gfx12"),
              row.family == Family::gfx12 || row.family == Family::gfx1250);
    EXPECT_EQ(has_feature(row.target, "gfx1250-insts"), row.family == Family::gfx1250);
  }
  EXPECT_EQ(find_target("gfx906"), nullptr);
  EXPECT_EQ(find_target("gfx908"), nullptr) << "no kernels are made for CDNA1";
}

TEST(Target, ProcessorsAreTheTargetsAndCdna) {
  for (const ProcessorRow& processor : processor_rows) {
    SCOPED_TRACE(processor.name);
    EXPECT_EQ(&instruction::processor(processor.target), &processor);
    EXPECT_EQ(find_processor(processor.name), &processor);
    EXPECT_EQ(&row(row(processor.family).family), &row(processor.family));
    EXPECT_EQ(has_kernels(processor.target), find_target(processor.name) != nullptr);
    if (is_nvidia(processor.family)) continue;  // their warps have 32 threads
    EXPECT_EQ(has_feature(processor.target, "mai-insts"), is_cdna(processor.family));
    EXPECT_EQ(default_wave(processor.target), is_cdna(processor.family) ? 64 : 32);
  }
  EXPECT_TRUE(has_feature(Target::gfx90a, "gfx90a-insts"));
  EXPECT_FALSE(has_feature(Target::gfx908, "gfx90a-insts"));
  EXPECT_EQ(find_processor("gfx906"), nullptr);
}

TEST(TargetDeathTest, LimitsExistForTargetsWithKernelsOnly) {
  EXPECT_DEATH((void)row(Target::gfx908), "heddle: the limits of a target for which Heddle makes");
}

TEST(Target, RegisterFileIsLlvms) {
  for (const ProcessorRow& row : target_rows) {
    SCOPED_TRACE(row.name);
    if (is_cdna(row.family)) {  // VGPRs and AGPRs, of one file
      EXPECT_TRUE(has_feature(row.target, "gfx90a-insts"));
      EXPECT_EQ(row.simd_vgprs, 512);
      EXPECT_EQ(row.vgpr_granule, 8);
      EXPECT_EQ(row.max_vgprs, 512);
      continue;
    }
    const bool large = has_feature(row.target, "allocate1_5xvgprs");
    EXPECT_EQ(row.simd_vgprs, large ? 1536 : 1024);
    EXPECT_EQ(row.vgpr_granule, large ? 24 : 16);
    EXPECT_EQ(row.max_vgprs, has_feature(row.target, "1024-addressable-vgprs") ? 1024 : 256);
  }
}

TEST(Target, LdsLimitIsLlvms) {
  const auto lds = [](int bytes) {
    return "@lds = internal addrspace(3) global [" + std::to_string(bytes) +
           " x i8] poison, align 16\n" + kernel("  store volatile i8 0, ptr addrspace(3) @lds\n");
  };
  for (const ProcessorRow& row : processor_rows) {
    if (is_nvidia(row.family)) continue;
    const int wave = default_wave(row.target);
    EXPECT_EQ(compile_ir(row.target, wave, lds(row.shared_bytes)).error, "") << row.name;
    EXPECT_NE(compile_ir(row.target, wave, lds(row.shared_bytes + 4)).error, "") << row.name;
  }
}

}  // namespace target_test
}  // namespace heddle::instruction
