#include "compiler/plan/tiling.h"

#include <gtest/gtest.h>

namespace heddle::plan {
namespace tiling_test {

static_assert(Tiling{128, 64, 32, 2, 2}.blocks_m({129, 129, 129}) == 2);
static_assert(Tiling{128, 64, 32, 2, 2}.blocks_n({129, 129, 129}) == 3);
static_assert(Tiling{128, 64, 32, 2, 2}.k_steps({129, 129, 129}) == 5);
static_assert(Tiling{128, 64, 32, 2, 2}.threads() == 128);

static_assert(is_size(64, 16, 256) && !is_size(48, 16, 256));
static_assert(!is_size(8, 16, 256) && !is_size(512, 16, 256));

constexpr layout::LinearLayout atom(const layout::AxisName& row, const layout::AxisName& column) {
  return layout::LinearLayout::from_words({{"element", 1}, {"register", 0}, {"lane", 5}},
                                          {{row, 3}, {column, 3}}, {8, 16, 32, 1, 2, 4})
      .value();
}

// A's rows depend on the high bits of the warp, B's columns on the low ones, as those of D do.
TEST(Tiling, WarpsShareFragmentsAlongTheOtherSide) {
  const auto a = tiled_fragment(atom("m", "k"), "m", 2, 4, 2, 4);
  const auto b = tiled_fragment(atom("k", "n"), "n", 2, 2, 4, 2);
  const auto d = tiled_result(atom("m", "n"), 4, 2, 2, 4);
  for (int bit = 0; bit < 3; ++bit) {
    EXPECT_EQ(a.basis("warp", bit, "m"), d.basis("warp", bit, "m"));
    EXPECT_EQ(b.basis("warp", bit, "n"), d.basis("warp", bit, "n"));
    EXPECT_EQ(d.basis("warp", bit, "n") != 0, bit < 2);
  }
  EXPECT_EQ(a.output_size("k"), 16u);
  EXPECT_EQ(d.output_size("m") * d.output_size("n"), 64u * 64u);
}

// The places of 2^size_bits rows, of 2^atom_bits atoms, by arithmetic: row `at` of atom `number`.
std::uint64_t in_turn_by_hand(std::uint64_t row, InTurn in_turn) {
  const std::uint64_t size = 1u << in_turn.size_bits, atoms = 1u << in_turn.atom_bits;
  const std::uint64_t group = row / (size * atoms), number = row / size % atoms, at = row % size;
  return group * size * atoms + at * atoms + number;
}

// a, b, c, … of 16 rows each become a0 b0 c0 d0 a1 b1 …, in each group of atoms by itself.
TEST(Tiling, AtomsTakeRowsInTurn) {
  const auto rows =
      layout::LinearLayout::from_words({{"lane", 7}, {"element", 2}}, {{"n", 7}, {"k", 2}},
                                       {1, 2, 4, 8, 16, 32, 64, 128, 256})
          .value();
  for (int size_bits = 0; size_bits <= 5; ++size_bits)
    for (int atom_bits = 0; size_bits + atom_bits <= 7; ++atom_bits) {
      const InTurn in_turn{size_bits, atom_bits};
      const auto turned = taken_in_turn(rows, "n", in_turn);
      for (std::uint64_t row = 0; row < 128; ++row)
        for (std::uint64_t k = 0; k < 4; ++k) {
          const auto place = turned.apply({{"lane", row}, {"element", k}}).value();
          ASSERT_EQ(place.at("n"), in_turn_by_hand(row, in_turn)) << size_bits << " " << atom_bits;
          ASSERT_EQ(place.at("k"), k);
        }
      EXPECT_EQ(taken_together(turned, "n", in_turn), rows);
    }
}

// Bases that move several rows and k at once, as swizzled tiles have them: each row goes where it
// would by itself.
TEST(Tiling, AtomsTakeRowsOfAnyMapInTurn) {
  const auto map =
      layout::LinearLayout::from_words({{"offset", 6}}, {{"k", 2}, {"m", 4}},
                                       {0b000111, 0b110000, 0b101001, 0b000100, 0, 0b011110})
          .value();
  const InTurn in_turn{1, 2};
  const auto turned = taken_in_turn(map, "m", in_turn);
  for (std::uint64_t offset = 0; offset < 64; ++offset) {
    const auto before = map.apply({{"offset", offset}}).value();
    const auto after = turned.apply({{"offset", offset}}).value();
    EXPECT_EQ(after.at("m"), in_turn_by_hand(before.at("m"), in_turn));
    EXPECT_EQ(after.at("k"), before.at("k"));
  }
  EXPECT_EQ(taken_in_turn(map, "m", {}), map);
  EXPECT_EQ(taken_in_turn(map, "m", {4, 0}), map);
}

// A product stays one when the rows of A and of D are taken alike: whoever has a row of A in an
// atom has that row of D there.
TEST(Tiling, OperandsAndSumsTakeTurnsTogether) {
  const InTurn in_turn{3, 2};
  const auto a = taken_in_turn(tiled_fragment(atom("m", "k"), "m", 2, 4, 2, 4), "m", in_turn);
  const auto d = taken_in_turn(tiled_result(atom("m", "n"), 4, 2, 2, 4), "m", in_turn);
  for (int bit = 0; bit < 2; ++bit) {
    EXPECT_EQ(a.basis("atom", bit, "m"), 1u << bit);
    EXPECT_EQ(a.basis("atom", bit, "m"), d.basis("atom_m", bit, "m"));
  }
  for (int bit = 0; bit < 3; ++bit) EXPECT_EQ(a.basis("warp", bit, "m"), d.basis("warp", bit, "m"));
  EXPECT_EQ(a.basis("lane", 0, "m"), d.basis("lane", 0, "m"));
}

}  // namespace tiling_test
}  // namespace heddle::plan
