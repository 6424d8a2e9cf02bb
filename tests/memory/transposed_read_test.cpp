// The layout that a load which transposes reads by, against the exchange done by hand: what lanes
// read so, they exchange to the fragment.
#include "heddle/memory/transposed_read.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "heddle/layout/layout.h"
#include "heddle/memory/issued_accesses.h"

namespace heddle::memory {
namespace transposed_read_test {

using instruction::find;
using instruction::Instruction;
using instruction::Operand;
using instruction::Target;
using layout::LinearLayout;

const Instruction& row_of(std::string_view name, Target target) { return *find(name, target); }

std::uint64_t at(const LinearLayout& map, std::uint64_t position, std::uint64_t lane) {
  const int own = map.inputs().bits_of("element") + map.inputs().bits_of("register");
  return map.apply(position | lane << own);
}

// Exchanges what lanes read: of the element at (m, n, block), read by the lane whose address is
// that of row m of the block, to the lane and position that D has for it.
void expect_exchanged(const Instruction& load, const LinearLayout& held, int joined) {
  const auto read = read_by(load, held, load.d.bits >> joined);
  ASSERT_TRUE(read.has_value()) << read.error();
  const LinearLayout got = instruction::isa_fragment(load, Operand::d);
  const LinearLayout addresses = instruction::isa_fragment(load, Operand::address);
  std::map<std::vector<std::uint64_t>, std::uint64_t> reader;
  for (int lane = load.wave; lane-- > 0;) {
    const auto to = addresses.apply({{"lane", static_cast<std::uint64_t>(lane)}});
    reader[{to->at("m"), to->at_or("block", 0)}] = static_cast<std::uint64_t>(lane);
  }
  const int own = got.inputs().bits_of("element") + got.inputs().bits_of("register");
  const int positions = held.inputs().bits_of("element") + held.inputs().bits_of("register");
  for (std::uint64_t rest = 0; rest >> (positions - own - joined) == 0; ++rest)
    for (std::uint64_t inside = 0; inside >> joined == 0; ++inside)
      for (std::uint64_t input = 0; input >> got.input_bits() == 0; ++input) {
        const auto to = got.outputs().unpack(got.apply(input));
        const std::uint64_t whose = reader.at({to.at("m"), to.at_or("block", 0)});
        const std::uint64_t position = input & layout::low_bits(own);
        const std::uint64_t high = rest << (own + joined) | inside;
        ASSERT_EQ(at(*read, high | to.at("n") << joined, whose),
                  at(held, high | position << joined, input >> own))
            << load.name;
      }
}

TEST(TransposedRead, IsWhatLanesExchangeToTheFragment) {
  const struct {
    const char* load;
    const char* product;
    Target target;
    int joined;
  } cases[] = {{"ds_read_b64_tr_b16", "v_mfma_f32_16x16x32_bf16", Target::gfx950, 0},
               {"ds_read_b64_tr_b16", "v_mfma_f32_32x32x16_f16", Target::gfx950, 0},
               {"ds_read_b64_tr_b8", "v_mfma_i32_16x16x64_i8", Target::gfx950, 0},
               {"ds_read_b64_tr_b16", "v_mfma_i32_16x16x64_i8", Target::gfx950, 1},
               {"ds_load_tr16_b128", "v_wmma_f32_16x16x32_f16", Target::gfx1250, 0},
               {"ds_load_tr8_b64", "v_wmma_f32_16x16x64_fp8_fp8", Target::gfx1250, 0}};
  for (const auto& one : cases)
    for (const Operand operand : {Operand::a, Operand::b})
      expect_exchanged(row_of(one.load, one.target),
                       instruction::isa_fragment(row_of(one.product, one.target), operand),
                       one.joined);
}

// B of v_mfma_f32_16x16x32_bf16 from a tile whose rows are k: each of two instructions reads for
// lanes 4 * i to 4 * i + 3 of sixteen one row of k, 4 columns a lane. So HipKittens reads it, too
// (commit f09e9685, include/ops/warp/memory/tile/shared_to_register.cuh, column layouts of stride
// 8).
TEST(TransposedRead, ReadsWholeRowsOfTheTile) {
  const Instruction& load = row_of("ds_read_b64_tr_b16", Target::gfx950);
  const LinearLayout b =
      instruction::isa_fragment(row_of("v_mfma_f32_16x16x32_bf16", Target::gfx950), Operand::b);
  const LinearLayout read = *read_by(load, b, 16);
  const SharedLayout rows{
      layout::parse(
          "offset: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0) (16,0) -> k: 32, n: 16")
          .value(),
      {}};
  const auto issued =
      issue(rows, read, {.element_bits = 16, .wave = 64, .bytes = 8, .ordered = true});
  ASSERT_TRUE(issued.has_value()) << issued.error();
  ASSERT_EQ(issued->list.size(), 2u);
  for (std::uint32_t lane = 0; lane < 64; ++lane) {
    const std::uint32_t k = 8 * (lane / 16) + lane % 16 / 4;
    EXPECT_EQ(issued->list[0].address[lane], 32 * k + 8 * (lane % 4));
    EXPECT_EQ(issued->list[1].address[lane], 32 * (k + 4) + 8 * (lane % 4));
  }
}

// A tile whose columns are next to each other in pairs the other way round cannot be read so.
TEST(TransposedRead, RowsHaveToLieInOrder) {
  const Instruction& load = row_of("ds_read_b64_tr_b16", Target::gfx950);
  const LinearLayout read = *read_by(
      load,
      instruction::isa_fragment(row_of("v_mfma_f32_16x16x32_bf16", Target::gfx950), Operand::b),
      16);
  const SharedLayout turned{
      layout::parse(
          "offset: (0,2) (0,1) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0) (16,0) -> k: 32, n: 16")
          .value(),
      {}};
  Move move{.element_bits = 16, .wave = 64, .bytes = 8};
  EXPECT_TRUE(issue(turned, read, move).has_value());  // a plain load takes any order
  move.ordered = true;
  EXPECT_EQ(issue(turned, read, move).error(),
            "no access of 8 bytes a lane: the layouts allow powers of two from 2 to 2");
}

TEST(TransposedRead, RefusesWhatTheLoadDoesNotMove) {
  const Instruction& load = row_of("ds_read_b64_tr_b16", Target::gfx950);
  const LinearLayout floats =
      layout::parse("register: (1) (2); lane: (4) (8) (16) (32) (64) (128) -> m: 256").value();
  EXPECT_EQ(read_by(load, floats, 32).error(),
            "ds_read_b64_tr_b16 moves elements of 16 bits; the access has elements of 32");
  EXPECT_EQ(read_by(load, floats, 6).error(),
            "ds_read_b64_tr_b16 moves elements of 16 bits; the access has elements of 6");
  EXPECT_EQ(read_by(load, floats, 8).error(),
            "ds_read_b64_tr_b16 gives a lane 8 elements; the access has 4");
  const LinearLayout narrow =
      layout::parse("register: (1) (2); lane: (4) (8) (16) (32) (64) -> m: 128").value();
  EXPECT_EQ(read_by(load, narrow, 16).error(),
            "ds_read_b64_tr_b16 is of waves of 64; the access has 32 lanes");
}

TEST(TransposedRead, OnlyLoadsFromSharedMemoryAreSuch) {
  EXPECT_TRUE(is_transposing_load(row_of("ds_load_tr4_b64", Target::gfx1250)));
  EXPECT_FALSE(is_transposing_load(row_of("global_load_tr_b128", Target::gfx1201)));
  EXPECT_FALSE(is_transposing_load(row_of("v_wmma_f32_16x16x16_f16", Target::gfx1201)));
  EXPECT_FALSE(
      is_transposing_load(row_of("ldmatrix.sync.aligned.m8n8.x4.shared.b16", Target::sm_80)));
}

}  // namespace transposed_read_test
}  // namespace heddle::memory
