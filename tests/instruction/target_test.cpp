// Every processor's row against LLVM 22, which knows the processors as subtarget features.
#include "heddle/instruction/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "llvm/BinaryFormat/ELF.h"
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

// Features that LLVM has by a name. What LLVM says of NVIDIA is of other kinds.
TEST(Target, FeaturesAreLlvms) {
  constexpr std::pair<Feature, std::string_view> named[] = {
      {Feature::gfx9_code, "gfx9"},
      {Feature::gfx940_code, "gfx940-insts"},
      {Feature::gfx950_code, "gfx950-insts"},
      {Feature::gfx11_code, "gfx11"},
      {Feature::gfx12_code, "gfx12-insts"},
      {Feature::gfx1250_code, "gfx1250-insts"},
      {Feature::mfma, "mai-insts"},
      {Feature::xf32, "xf32-insts"},
      {Feature::architected_flat_scratch, "architected-flat-scratch"},
      {Feature::architected_sgprs, "architected-sgprs"},
      {Feature::vgpr_banks, "1024-addressable-vgprs"},
      {Feature::wide_buffer_resource, "45-bit-num-records-buffer-resource"},
      {Feature::permlane16_swap, "permlane16-swap"},
      {Feature::permlane32_swap, "permlane32-swap"},
  };
  for (const ProcessorRow& processor : processor_rows) {
    if (is_nvidia(processor.family)) continue;
    for (const auto& [feature, name] : named)
      EXPECT_EQ(processor.has(feature), has_feature(processor.target, name))
          << processor.name << " " << name;
    EXPECT_EQ(processor.has(Feature::cmpx_writes_mask),
              !has_feature(processor.target, "no-sdst-cmpx"))
        << processor.name;
    EXPECT_EQ(row(processor.family).counters == WaitCounters::joint,
              !has_feature(processor.target, "vscnt"))
        << processor.name;
  }
}

TEST(Target, ElfMachinesAreLlvms) {
  using namespace llvm::ELF;
  const std::map<std::string_view, unsigned> machines = {
      {"gfx1100", EF_AMDGPU_MACH_AMDGCN_GFX1100}, {"gfx1101", EF_AMDGPU_MACH_AMDGCN_GFX1101},
      {"gfx1102", EF_AMDGPU_MACH_AMDGCN_GFX1102}, {"gfx1103", EF_AMDGPU_MACH_AMDGCN_GFX1103},
      {"gfx1150", EF_AMDGPU_MACH_AMDGCN_GFX1150}, {"gfx1151", EF_AMDGPU_MACH_AMDGCN_GFX1151},
      {"gfx1152", EF_AMDGPU_MACH_AMDGCN_GFX1152}, {"gfx1153", EF_AMDGPU_MACH_AMDGCN_GFX1153},
      {"gfx1200", EF_AMDGPU_MACH_AMDGCN_GFX1200}, {"gfx1201", EF_AMDGPU_MACH_AMDGCN_GFX1201},
      {"gfx1250", EF_AMDGPU_MACH_AMDGCN_GFX1250}, {"gfx1251", EF_AMDGPU_MACH_AMDGCN_GFX1251},
      {"gfx908", EF_AMDGPU_MACH_AMDGCN_GFX908},   {"gfx90a", EF_AMDGPU_MACH_AMDGCN_GFX90A},
      {"gfx942", EF_AMDGPU_MACH_AMDGCN_GFX942},   {"gfx950", EF_AMDGPU_MACH_AMDGCN_GFX950},
  };
  for (const ProcessorRow& processor : processor_rows) {
    if (is_nvidia(processor.family)) {
      EXPECT_EQ(processor.elf_machine, 0u) << processor.name;
      continue;
    }
    ASSERT_TRUE(machines.contains(processor.name)) << processor.name;
    EXPECT_EQ(processor.elf_machine, machines.at(processor.name)) << processor.name;
  }
}

/// What LLVM 22 lists and the table has not: names that begin so, and why.
struct LeftOut {
  std::string_view prefix, reason;
};
constexpr LeftOut left_out[] = {
    {"gfx6", "no matrix instructions"},
    {"gfx7", "no matrix instructions"},
    {"gfx8", "no matrix instructions"},
    {"gfx900", "no matrix instructions"},
    {"gfx902", "no matrix instructions"},
    {"gfx904", "no matrix instructions"},
    {"gfx906", "no matrix instructions"},
    {"gfx909", "no matrix instructions"},
    {"gfx90c", "no matrix instructions"},
    {"gfx10", "no matrix instructions"},
    {"tahiti", "another name of gfx600"},
    {"pitcairn", "another name of gfx601"},
    {"verde", "another name of gfx601"},
    {"hainan", "another name of gfx602"},
    {"oland", "another name of gfx602"},
    {"kaveri", "another name of gfx700"},
    {"hawaii", "another name of gfx701"},
    {"kabini", "another name of gfx703"},
    {"mullins", "another name of gfx703"},
    {"bonaire", "another name of gfx704"},
    {"carrizo", "another name of gfx801"},
    {"iceland", "another name of gfx802"},
    {"tonga", "another name of gfx802"},
    {"fiji", "another name of gfx803"},
    {"polaris", "another name of gfx803"},
    {"stoney", "another name of gfx810"},
    {"generic", "no processor"},
    {"gfx9-generic", "no processor, but what several share"},
    {"gfx9-4-generic", "no processor, but what several share"},
    {"gfx11-generic", "no processor, but what several share"},
    {"gfx12-generic", "no processor, but what several share"},
    {"sm_2", "no matrix instructions"},
    {"sm_3", "no matrix instructions"},
    {"sm_5", "no matrix instructions"},
    {"sm_6", "no matrix instructions"},
};

TEST(Target, WhatLlvmListsIsARowOrLeftOutForAReason) {
  std::vector<std::string> names = test::processors_of_amd();
  EXPECT_GT(names.size(), 60u);
  for (std::string& name : test::processors_of_nvidia()) names.push_back(std::move(name));
  std::set<std::string_view> needed;
  std::set<Target> found;
  for (const std::string& name : names) {
    const ProcessorRow* processor = find_processor(name);
    if (processor != nullptr) found.insert(processor->target);
    const auto why = std::ranges::find_if(
        left_out, [&](const LeftOut& each) { return name.starts_with(each.prefix); });
    EXPECT_NE(processor != nullptr, why != std::end(left_out)) << name;
    if (why != std::end(left_out)) needed.insert(why->prefix);
  }
  for (const LeftOut& each : left_out)
    EXPECT_TRUE(needed.contains(each.prefix)) << each.prefix << ": " << each.reason;
  for (const ProcessorRow& processor : processor_rows)
    EXPECT_TRUE(found.contains(processor.target)) << "LLVM lacks " << processor.name;
}

// `ptxas --help` of CUDA 13.0: the allowed values of --gpu-name.
TEST(Target, WhatPtxasListsIsARow) {
  for (const std::string_view name :
       {"sm_75",   "sm_80",   "sm_86",   "sm_87",   "sm_88",   "sm_89",   "sm_90",  "sm_90a",
        "sm_100",  "sm_100a", "sm_100f", "sm_103",  "sm_103a", "sm_103f", "sm_110", "sm_110a",
        "sm_110f", "sm_120",  "sm_120a", "sm_120f", "sm_121",  "sm_121a", "sm_121f"})
    EXPECT_NE(find_processor(name), nullptr) << name;
  EXPECT_EQ(find_processor("sm_101a"), find_processor("sm_110")) << "renamed by PTX ISA 9.0";
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
