// How many waves and workgroups fit, against LLVM 22, whose code generator reports waves of a SIMD.
#include "heddle/instruction/occupancy.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "tests/instruction/llvm_witness.h"

namespace heddle::instruction {
namespace occupancy_test {

using test::compile_ir;

// What LLVM prints of a kernel: waves of a SIMD.
int llvm_occupancy(const ProcessorRow& row, const std::string& ir) {
  const auto assembly = compile_ir(row.target, default_wave(row.target), ir);
  EXPECT_EQ(assembly.error, "");
  std::smatch match;
  const bool found = std::regex_search(assembly.value, match, std::regex("; Occupancy: (\\d+)"));
  EXPECT_TRUE(found) << assembly.value;
  return found ? std::stoi(match[1].str()) : 0;
}

// LLVM may use fewer registers than it may name, never more, so a clobbered register fixes the
// number.
TEST(Occupancy, WavesOfASimdAreLlvms) {
  for (const ProcessorRow& row : target_rows)
    for (int vgprs = 8; vgprs <= std::min(row.max_vgprs, 256); vgprs += 8)  // above: AGPRs
      EXPECT_EQ(llvm_occupancy(row,
                               "define amdgpu_kernel void @k() {\n"
                               "  call void asm sideeffect \"\", \"~{v" +
                                   std::to_string(vgprs - 1) + "}\"()\n  ret void\n}\n"),
                waves_per_simd(row, vgprs))
          << row.name << " with " << vgprs << " VGPRs";
}

// Of workgroups by their LDS LLVM says how many waves a SIMD gets. RDNA is left out: LLVM speaks
// there of the whole workgroup processor.
TEST(Occupancy, WorkgroupsByLdsAreLlvms) {
  for (const ProcessorRow& target : target_rows) {
    const FamilyRow& family = row(target.family);
    if (family.simds != 4) continue;
    for (const int threads : {256, 512, 1024})
      for (const int parts : {1, 2, 3, 4, 7}) {
        // Whole granules: LLVM divides here by the bytes that the kernel names.
        const int bytes = target.shared_bytes / parts / family.lds_granule * family.lds_granule;
        const Occupancy fits = occupancy(target, family.wave, 1, static_cast<std::uint64_t>(bytes),
                                         static_cast<std::uint64_t>(threads));
        const int waves = fits.by_lds * fits.waves_per_workgroup / family.simds;
        EXPECT_EQ(
            llvm_occupancy(target,
                           "@lds = internal addrspace(3) global [" + std::to_string(bytes) +
                               " x i8] poison, align 16\ndefine amdgpu_kernel void @k() #0 {\n"
                               "  store volatile i8 0, ptr addrspace(3) @lds\n  ret void\n}\n"
                               "attributes #0 = { \"amdgpu-flat-work-group-size\"=\"" +
                               std::to_string(threads) + "," + std::to_string(threads) + "\" }\n"),
            std::min(waves, family.wave_slots))
            << target.name << ", " << threads << " threads, " << bytes << " bytes";
      }
  }
}

// RDNA: 1536 registers in granules of 24: 256 take 264, so 5 waves a SIMD; 192 leave 8; 96 give 16.
static_assert([] {
  const auto of = [](std::uint32_t vgprs, std::uint32_t lds, std::uint32_t threads) {
    return occupancy(row(Target::gfx1151), 32, vgprs, lds, threads);
  };
  return of(256, 0, 32).by_vgprs == 10 && of(192, 0, 32).by_vgprs == 16 &&
         of(193, 0, 32).by_vgprs == 14 && of(96, 0, 32).by_vgprs == 32 &&
         of(1, 0, 32).by_vgprs == 32 && of(248, 24576, 128).workgroups() == 2 &&
         of(188, 25344, 256).workgroups() ==
             2 &&  // the published kernels of bench/records/kernels.md
         of(120, 18432, 256).by_lds == 3 &&
         of(248, 32768, 128).by_lds == 2 && of(248, 32769, 128).by_lds == 1 &&
         of(248, 65536, 128).by_lds == 1;
}());
// A wave of 64 has the registers of two.
static_assert(occupancy(row(Target::gfx1151), 64, 192, 0, 64).by_vgprs == 8);
// CDNA: 512 registers of 64 lanes, four SIMDs. 210 take 216, so two waves a SIMD.
static_assert(occupancy(row(Target::gfx942), 64, 210, 65536, 512) == Occupancy{8, 1, 1});
static_assert(occupancy(row(Target::gfx950), 64, 128, 54613, 256) == Occupancy{4, 4, 2});
static_assert(occupancy(row(Target::gfx950), 64, 256, 163841, 64).workgroups() == 0);
// What a processor lacks, and a workgroup that none takes.
static_assert(occupancy(processor(Target::gfx908), 64, 64, 0, 64) == Occupancy{});
static_assert(occupancy(row(Target::gfx942), 64, 64, 0, 2048) == Occupancy{});

}  // namespace occupancy_test
}  // namespace heddle::instruction
