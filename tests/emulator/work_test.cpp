// What instructions count for in a budget. How long they take is measured by `./dev bench work`;
// here, that what grows with the size of an instruction is charged by its size.
#include "emulator/decode/work.h"

#include <gtest/gtest.h>

#include <set>

#include "emulator/decode/assembly_text.h"
#include "emulator/decode/program.h"
#include "emulator/decode/translate.h"
#include "heddle/instruction/catalogue.h"
#include "opcode_space.h"

namespace heddle::emulator::testing {
namespace work_test {

constexpr const char* target_names[] = {"gfx1151", "gfx1201", "gfx1250",
                                        "gfx90a",  "gfx942",  "gfx950"};

// The catalogue is the witness of sizes and blocks.
TEST(Work, MatrixInstructionsAreChargedByTheirMultiplications) {
  std::set<std::string> seen;
  for (const char* name : target_names) {
    const Target& target = *find_target(name);
    const int wave = is_cdna(target.family) ? 64 : 32;
    const auto processor = *instruction::find_processor(name);
    for (const EncodedInstruction& one : opcode_space(target, wave)) {
      const TextInstruction text = parse_instruction(one.text);
      const Row* const row = find_row(text, target, wave);
      if (row == nullptr || row->form != Form::matrix) continue;
      const std::string mnemonic(base_mnemonic(text.mnemonic));
      const auto* const known = instruction::find(mnemonic, processor.target);
      if (known == nullptr) continue;
      seen.insert(mnemonic);
      const auto all = static_cast<unsigned>(known->m * known->n * known->k * known->blocks);
      EXPECT_GE(multiplications_of(mnemonic), all) << name << " " << mnemonic;
      EXPECT_LE(multiplications_of(mnemonic), 4 * all) << name << " " << mnemonic;
      EXPECT_GE(work_of(mnemonic, Form::matrix), all / 64) << name << " " << mnemonic;
    }
  }
  EXPECT_GT(seen.size(), 100u);
}

TEST(Work, EveryRowOfSlowInstructionsIsOfAnInstruction) {
  std::set<std::string> names;
  for (const char* name : target_names) {
    const Target& target = *find_target(name);
    for (const EncodedInstruction& one : opcode_space(target, is_cdna(target.family) ? 64 : 32))
      names.insert(std::string(base_mnemonic(parse_instruction(one.text).mnemonic)));
  }
  std::set<const SlowInstruction*> used;
  for (const std::string& name : names)
    for (const SlowInstruction& slow : slow_instructions)
      if (name.starts_with(slow.prefix) && name.ends_with(slow.suffix)) {
        used.insert(&slow);
        break;
      }
  for (const SlowInstruction& slow : slow_instructions)
    EXPECT_TRUE(used.contains(&slow)) << slow.prefix << "…" << slow.suffix;
}

TEST(Work, CountsWhatTakesLong) {
  EXPECT_EQ(work_of("v_add_f32", Form::vector), 2);
  EXPECT_EQ(work_of("s_add_i32", Form::scalar), 1);
  EXPECT_EQ(work_of("v_max_u32", Form::vector), 2);
  EXPECT_EQ(work_of("v_max_f32", Form::vector), 10);
  EXPECT_EQ(work_of("v_max3_num_f32", Form::vector), 22);
  EXPECT_EQ(work_of("v_wmma_f32_16x16x16_f16", Form::matrix), 64);
  EXPECT_EQ(work_of("v_wmma_scale_f32_16x16x128_f8f6f4", Form::matrix), 512);
  EXPECT_EQ(work_of("v_mfma_f32_4x4x4_16b_f16", Form::matrix), 85);
  EXPECT_EQ(multiplications_of("v_mfma_f32_32x32x1f32"), 2048u);
  EXPECT_EQ(multiplications_of("v_mfma_f32_32x32x4_2b_f16"), 8192u);
}

}  // namespace work_test
}  // namespace heddle::emulator::testing
