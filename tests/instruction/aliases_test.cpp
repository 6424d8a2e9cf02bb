// Aliases against LLVM 22's assembler, both ways: what the table has is taken for that instruction,
// and what is made like an alias and is not in the table is refused.
#include "heddle/instruction/aliases.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "tests/instruction/assembly_text.h"
#include "tests/instruction/llvm_witness.h"

namespace heddle::instruction {
namespace aliases_test {

static_assert(canonical("v_mfma_f32_32x32x8f16", Target::gfx942) == "v_mfma_f32_32x32x8_f16");
static_assert(canonical("v_mfma_f32_32x32x8f16", Target::gfx908) == "v_mfma_f32_32x32x8f16");
static_assert(canonical("v_mfma_f32_16x16x8xf32", Target::gfx950) == "v_mfma_f32_16x16x8xf32");
static_assert(find("v_mfma_f32_32x32x8f16", Target::gfx942)->name == "v_mfma_f32_32x32x8_f16");

/// Names made of those of a row: with the types set off by no sign or one, together or apart, with
/// and without the blocks, and with the suffix of CDNA2's bfloat16.
std::set<std::string> variants(const Instruction& row) {
  const std::string name(row.name);
  const std::size_t by = name.find_first_of("0123456789", name.find('_', name.find('_', 2) + 1));
  const std::size_t end = name.find_first_not_of("0123456789x", by);
  const std::string before = name.substr(0, end);
  std::string type = name.substr(end);
  const std::string blocks = "_" + std::to_string(row.blocks) + "b";
  if (type.starts_with(blocks)) type = type.substr(blocks.size());
  if (type.starts_with("_")) type = type.substr(1);
  if (type.ends_with("_1k")) type = type.substr(0, type.size() - 3);
  std::string together = type;
  std::erase(together, '_');
  std::set<std::string> names;
  for (const std::string& between : {std::string(), blocks})
    for (const std::string& sign : {std::string(), std::string("_")})
      for (const std::string& types : {type, together})
        for (const std::string& suffix : {std::string(), std::string("_1k")})
          names.insert(before + between + sign + types + suffix);
  return names;
}

/// The name that LLVM decodes from the instruction it assembles, or nothing.
std::string assembled_name(const Instruction& row, const std::string& name, Target target) {
  Instruction renamed = row;
  renamed.name = name;
  const auto bytes = test::assemble(target, row.wave, test::assembly_text(renamed));
  if (!bytes.error.empty()) return "";
  const std::string text = test::disassemble(target, row.wave, bytes.value).value;
  return text.substr(0, text.find(' '));
}

TEST(Aliases, AreThoseThatLlvmTakes) {
  std::set<std::string> taken;
  int refused = 0;
  // Of loads that transpose the name without the width of an element.
  for (const Instruction& row : transpose_load_instructions) {
    std::string name(row.name);
    const std::size_t width = name.find("_tr") + 3;
    name.erase(width, name.find('_', width) - width);
    if (name == row.name) continue;
    const bool is_alias = assembled_name(row, name, Target::gfx1250) == row.name;
    EXPECT_EQ(canonical(name, Target::gfx1250) == row.name, is_alias) << name;
    if (is_alias) taken.insert(name);
  }
  for (const Instruction& row : cdna_instructions) {
    for (const ProcessorRow& processor : processor_rows) {
      if (!row.is_of(processor.family)) continue;
      for (const std::string& name : variants(row)) {
        if (name == row.name) continue;
        SCOPED_TRACE(std::string(processor.name) + " " + name);
        const std::string there = assembled_name(row, name, processor.target);
        // What has another shape is another instruction that happens to have these registers.
        if (there.empty() || there != row.name) {
          EXPECT_NE(canonical(name, processor.target), row.name);
          ++refused;
          continue;
        }
        EXPECT_EQ(canonical(name, processor.target), row.name);
        taken.insert(name);
      }
    }
  }
  EXPECT_EQ(taken.size(), alias_rows.size());
  for (const AliasRow& row : alias_rows)
    EXPECT_TRUE(taken.contains(std::string(row.alias))) << row.alias << " is not needed";
  EXPECT_GT(refused, 500);
}

TEST(Aliases, AreFoundAsTheirInstruction) {
  for (const AliasRow& row : alias_rows) {
    int found = 0;
    for (const ProcessorRow& processor : processor_rows) {
      const Instruction* named = find(row.name, processor.target);
      if (named == nullptr) continue;
      EXPECT_EQ(find(row.alias, processor.target), named) << row.alias;
      ++found;
    }
    EXPECT_GT(found, 0) << row.alias;
  }
}

TEST(Aliases, OfNothingAreNothing) {
  EXPECT_EQ(canonical("v_mfma_f32_32x32x8f61", Target::gfx942), "v_mfma_f32_32x32x8f61");
  EXPECT_EQ(find("v_mfma_f32_32x32x8f61", Target::gfx942), nullptr);
}

}  // namespace aliases_test
}  // namespace heddle::instruction
