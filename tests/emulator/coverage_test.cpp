// Every instruction that LLVM decodes is one that the emulator executes, or stands in the list of
// those it does not, with the reason; and nothing stands there without need.
#include "coverage.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "emulator/decode/opcode_table.h"
#include "emulator/decode/program.h"
#include "kernels.h"
#include "opcode_space.h"

namespace heddle::emulator::testing {
namespace coverage_test {

class CoverageTest : public ::testing::TestWithParam<std::string> {};

std::vector<int> waves_of(const Target& target) {
  return is_cdna(target.family)              ? std::vector{64}
         : target.has(Feature::gfx1250_code) ? std::vector{32}
                                             : std::vector{32, 64};
}
std::vector<std::string> all_targets() {
  std::vector<std::string> names = targets();
  names.insert(names.end(), {"gfx90a", "gfx942", "gfx950", "gfx1250", "gfx1251"});
  return names;
}

TEST_P(CoverageTest, WhatIsMissingIsMissingForAReason) {
  const Target& target = *find_target(GetParam());
  for (int wave : waves_of(target)) {
    const Coverage c = coverage(target, wave);
    EXPECT_GT(c.total.all, 1000);
    for (const auto& [mnemonic, why] : c.missing)
      EXPECT_FALSE(reason_for_absence(mnemonic, target, wave).empty())
          << target.name << " wave" << wave << ": " << why;
    // The other way round: what has a reason to be absent is absent.
    for (const EncodedInstruction& instruction : opcode_space(target, wave))
      if (!reason_for_absence(instruction.mnemonic, target, wave).empty())
        EXPECT_TRUE(c.missing.contains(instruction.mnemonic))
            << instruction.mnemonic << " is executed: drop it from the absences";
  }
}

// tests/data/llvm_emitted.txt is what LLVM's code generator was seen to emit
// (emitted_instructions.py). Nothing of it is absent but for these reasons: none of them is that no
// compiler emits it.
TEST(Coverage, WhatLlvmEmitsIsThere) {
  std::ifstream file(HEDDLE_TEST_DATA "/llvm_emitted.txt");
  std::set<std::string_view> reasons;
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const Target* target = find_target(std::string_view(name));
    ASSERT_NE(target, nullptr) << name;
    const int wave = waves_of(*target).front();
    int count = 0;
    for (; words >> name; ++count) {
      if (find_row(single_mnemonic(name), *target, wave)) continue;
      const std::string_view reason = reason_for_absence(name, *target, wave);
      EXPECT_FALSE(reason.empty()) << target->name << ": " << name;
      reasons.insert(reason);
    }
    EXPECT_GT(count, 500) << target->name;
  }
  EXPECT_EQ(lines, 7);
  const std::set<std::string_view> known = {
      "typed buffers: images by another name",
      "of graphics",
      "ray tracing",
      "global wave sync: counters of the device, which no launch here has",
      "its order is that of the wave launcher",
      "no document here says which numbers it makes",
      "padding after the last instruction, never executed"};
  EXPECT_EQ(reasons, known);
}

// The enumeration finds what is known to be there: it looked in all encodings.
TEST_P(CoverageTest, TheEnumerationFindsWhatIsThere) {
  const Target& target = *find_target(GetParam());
  std::set<std::string> found;
  for (const EncodedInstruction& instruction : opcode_space(target, waves_of(target).front()))
    found.insert(instruction.mnemonic);
  if (is_cdna(target.family)) {
    for (const char* name : {"s_mov_b32", "s_add_u32", "s_cmp_eq_u32", "s_movk_i32", "s_endpgm",
                             "s_load_dword", "v_mov_b32", "v_add_f32", "v_cmp_lt_f32", "v_fma_f32",
                             "v_pk_fma_f16", "ds_read_b32", "flat_load_dword", "global_load_dword",
                             "scratch_load_dword", "buffer_load_dword", "v_accvgpr_read_b32"})
      EXPECT_TRUE(found.contains(name)) << name;
    EXPECT_TRUE(found.contains(target.has(Feature::gfx940_code) ? "v_mfma_f32_32x32x8_f16"
                                                                : "v_mfma_f32_32x32x8f16"));
    EXPECT_EQ(found.contains("v_prng_b32"), target.has(Feature::gfx950_code));
    return;
  }
  for (const char* name :
       {"s_mov_b32", "s_add_u32", "s_cmp_eq_u32", "s_movk_i32", "s_endpgm", "s_load_b32",
        "v_mov_b32", "v_add_f32", "v_cmp_lt_f32", "v_fma_f32", "v_pk_fma_f16", "ds_load_b32",
        "flat_load_b32", "global_load_b32", "scratch_load_b32", "buffer_load_b32"}) {
    const bool renamed = target.has(Feature::gfx12_code) && std::string_view(name) == "s_add_u32";
    EXPECT_TRUE(found.contains(renamed ? "s_add_co_u32" : name)) << name;
  }
  EXPECT_EQ(found.contains("v_swmmac_f32_16x16x32_f16"), target.has(Feature::gfx12_code));
}

INSTANTIATE_TEST_SUITE_P(Targets, CoverageTest, ::testing::ValuesIn(all_targets()),
                         [](const auto& info) { return info.param; });

}  // namespace coverage_test
}  // namespace heddle::emulator::testing
