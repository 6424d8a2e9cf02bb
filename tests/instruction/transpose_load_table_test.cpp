// AMD's loads that transpose: what the documents say of them, and LLVM, which assembles them with
// these registers and no others. Who gets what is compared in amd_witnesses_test.cpp and, with the
// emulator, in tests/emulator/transpose_load_test.cpp.
#include "heddle/instruction/transpose_load_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/encoding.h"
#include "heddle/instruction/names.h"
#include "heddle/instruction/places.h"
#include "tests/instruction/assembly_text.h"
#include "tests/instruction/llvm_witness.h"

namespace heddle::instruction {
namespace transpose_load_table_test {

using layout::LinearLayout;

void for_each_row_and_target(auto&& check) {
  int count = 0;
  for (const Instruction& row : transpose_load_instructions)
    for (const ProcessorRow& target : processor_rows) {
      if (!row.is_of(target.family)) continue;
      SCOPED_TRACE(std::string(target.name) + " wave" + std::to_string(row.wave) + " " +
                   std::string(row.name));
      check(row, target.target);
      ++count;
    }
  EXPECT_GE(count, 4 + 2 * 4 + 8);
}

TEST(TransposeLoad, LanesHoldAllElementsOnce) {
  for (const Instruction& row : transpose_load_instructions) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.kind, Kind::load);
    const LinearLayout map = fragment(row, Operand::d);
    EXPECT_EQ(map.input_bits(), map.output_bits());
    EXPECT_EQ(std::uint64_t{1} << map.output_bits(),
              static_cast<std::uint64_t>(row.m * row.n * row.blocks));
    std::set<std::uint64_t> elements;
    for (std::uint64_t input = 0; input >> map.input_bits() == 0; ++input)
      elements.insert(map.apply(input));
    EXPECT_EQ(elements.size(), std::uint64_t{1} << map.output_bits());
    // A lane gets as many bits as it reads; in waves of 64 of gfx12 half, since half of them read.
    const int read = row.n * row.d.bits;
    EXPECT_EQ(32 * row.d.registers, row.is_of(Family::gfx12) && row.wave == 64 ? read / 2 : read);
  }
}

// "use only addresses from lanes 0-31 … and ignore addresses in lanes 32-63" (RDNA4 ISA, "WMMA
// Load-Transpose Instructions"); all others have an address of every lane.
TEST(TransposeLoad, EachLaneHasTheAddressOfItsRow) {
  for (const Instruction& row : transpose_load_instructions) {
    SCOPED_TRACE(row.name);
    const int readers = row.is_of(Family::gfx12) ? 32 : row.wave;
    const Places view = places(row, Operand::address);
    EXPECT_EQ(view.rows, row.m);
    EXPECT_EQ(view.cols, 1);
    EXPECT_EQ(view.blocks, row.blocks);
    ASSERT_EQ(static_cast<int>(view.lane.size()), readers);
    for (int i = 0; i < readers; ++i) EXPECT_EQ(view.lane[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(view.lane_copies.size(), static_cast<std::size_t>(row.wave / readers));
    EXPECT_EQ(row.address.bits, row.name.starts_with("global_") ? 64 : 32);
  }
}

// The report of triton-lang/triton#6065: lane i of each 16 gets halves i, 16 + i, 32 + i and 48 + i
// of the 64 that these lanes address.
TEST(TransposeLoad, HalvesOfGfx950AreColumnsOfRowsOfSixteen) {
  const Instruction& row = *find("ds_read_b64_tr_b16", Target::gfx950);
  const LinearLayout map = fragment(row, Operand::d);
  for (std::uint64_t lane = 0; lane < 64; ++lane)
    for (std::uint64_t i = 0; i < 4; ++i) {
      const auto to = map.apply({{"element", i % 2}, {"register", i / 2}, {"lane", lane}});
      EXPECT_EQ(to->at("block"), lane / 16);
      EXPECT_EQ(4 * to->at("m") + to->at("n"), 16 * i + lane % 16);
    }
}

// RDNA4 ISA, the same section: with each lane reading eight M of one K, lane 0 K = 0 and M = 0 to 7
// and so on through K, a lane gets consecutive K of the M that WMMA has there.
TEST(TransposeLoad, Gfx12LoadsTheFragmentOfWmma) {
  for (const int wave : {32, 64}) {
    const Instruction& row = *find("global_load_tr_b128", Target::gfx1201, wave);
    const LinearLayout map = fragment(row, Operand::d);
    const std::uint64_t halves = wave == 32 ? 8 : 4;
    for (std::uint64_t lane = 0; lane < static_cast<std::uint64_t>(wave); ++lane)
      for (std::uint64_t i = 0; i < halves; ++i) {
        const auto to = map.apply({{"element", i % 2}, {"register", i / 2}, {"lane", lane}});
        const std::uint64_t reader = to->at("m") + 8 * to->at("block");
        const std::uint64_t m = to->at("n") + 8 * (reader / 8 % 2);
        const std::uint64_t k = reader % 8 + 8 * (reader / 16);
        EXPECT_EQ(m, lane % 16);
        EXPECT_EQ(k, 8 * (lane / 16 % 2) + 4 * (lane / 32) + i);
      }
  }
}

TEST(TransposeLoad, AssemblesWithItsRegistersOnly) {
  for_each_row_and_target([](const Instruction& row, Target target) {
    const std::string wanted = test::assembly_text(row);
    const auto bytes = test::assemble(target, row.wave, wanted);
    ASSERT_EQ(bytes.error, "") << wanted;
    EXPECT_EQ(test::disassemble(target, row.wave, bytes.value).value, wanted);
    for (const int change : {-1, 1})
      if (row.d.registers + change > 0) {
        const std::string wrong = test::load_text(row, 0, row.d.registers + change);
        EXPECT_NE(test::assemble(target, row.wave, wrong).error, "") << wrong;
      }
    const std::string odd = test::load_text(row, 1, row.d.registers);
    EXPECT_EQ(test::assemble(target, row.wave, odd).error.empty(),
              !row.has(Constraint::even_registers))
        << odd;
    EXPECT_FALSE(encoding(row).has_value());
  });
}

TEST(TransposeLoad, OtherFamiliesLackIt) {
  int refused = 0;
  for (const Instruction& row : transpose_load_instructions)
    for (const ProcessorRow& target : processor_rows) {
      if (is_nvidia(target.family) || find(row.name, target.target, row.wave) != nullptr) continue;
      const auto bytes = test::assemble(target.target, row.wave, test::assembly_text(row));
      EXPECT_NE(bytes.error, "") << target.name << " " << row.name;
      ++refused;
    }
  EXPECT_GT(refused, 100);
}

// "If EXEC==0, the instruction acts like an S_NOP; otherwise these instructions require that EXEC
// be set to all ones" (the same section). No document asks that of gfx950.
TEST(TransposeLoad, ConstraintsAreThoseOfTheDocument) {
  for (const Instruction& row : transpose_load_instructions) {
    EXPECT_EQ(row.has(Constraint::exec_all_ones), !row.is_of(Family::gfx950)) << row.name;
    EXPECT_EQ(row.has(Constraint::wide_addresses), row.name == "ds_read_b96_tr_b6");
  }
}

TEST(TransposeLoad, IsFoundByCapitalsIntrinsicsAndBuiltins) {
  const auto name = [](std::string_view known, Target target, int wave = 0) {
    const auto row = find_by_any_name(known, target, wave);
    return row ? row->name : std::string_view("none");
  };
  EXPECT_EQ(name("DS_READ_B64_TR_B16", Target::gfx950), "ds_read_b64_tr_b16");
  EXPECT_EQ(name("GLOBAL_LOAD_TR_B128", Target::gfx1250), "global_load_tr16_b128");
  EXPECT_EQ(name("llvm.amdgcn.ds.read.tr16.b64.v4f16", Target::gfx950), "ds_read_b64_tr_b16");
  EXPECT_EQ(name("__builtin_amdgcn_ds_read_tr16_b64_v4f16", Target::gfx950), "ds_read_b64_tr_b16");
  EXPECT_EQ(name("__builtin_amdgcn_ds_read_tr16_b64_v4bf16", Target::gfx950), "ds_read_b64_tr_b16");
  EXPECT_EQ(name("__builtin_amdgcn_ds_read_tr6_b96_v3i32", Target::gfx950), "ds_read_b96_tr_b6");
  EXPECT_EQ(name("__builtin_amdgcn_ds_read_tr16_b64_v8f16", Target::gfx950), "none");
  EXPECT_EQ(name("__builtin_amdgcn_global_load_tr8_b64_v2i32", Target::gfx1250),
            "global_load_tr8_b64");
  EXPECT_EQ(name("__builtin_amdgcn_global_load_tr_b64_i32", Target::gfx1201, 64),
            "global_load_tr_b64");
  EXPECT_EQ(name("__builtin_amdgcn_global_load_tr_b64_i32", Target::gfx1201, 32), "none");
}

}  // namespace transpose_load_table_test
}  // namespace heddle::instruction
