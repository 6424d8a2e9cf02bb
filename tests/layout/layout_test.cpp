// The whole algebra at work at compile time: the examples of the essay in linear_layout.h, and the
// path of a fragment from its instruction to its shared-memory load.
#include "heddle/layout/layout.h"

#include <gtest/gtest.h>

namespace heddle::layout {
namespace layout_test {

// Example 1: the accumulator of gfx11's WMMA, register 5 of lane 19.
constexpr LinearLayout accumulator =
    parse("register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) -> m: 16, n: 16")
        .value();
static_assert(is_invertible(accumulator));
static_assert(accumulator.apply({{"register", 5}, {"lane", 19}})->at("m") == 11);
static_assert(accumulator.apply({{"register", 5}, {"lane", 19}})->at("n") == 3);

// Example 2: the swizzle, g ^ r + 8 * r.
constexpr LinearLayout swizzle =
    parse("group: (1) (2) (4); row: (9) (18) (36) -> offset: 64").value();
constexpr bool swizzle_is_its_formula() {
  for (std::uint64_t row = 0; row < 8; ++row) {
    for (std::uint64_t group = 0; group < 8; ++group) {
      if (swizzle.apply(group + 8 * row) != (group ^ row) + 8 * row) return false;
    }
  }
  return true;
}
static_assert(swizzle_is_its_formula());
static_assert(compose(swizzle, invert(swizzle).value())->apply(29) == 29);

// Example 3: copies.
constexpr LinearLayout operand_a =
    parse("element: (0,1) (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> m: 16, k: 16")
        .value();
static_assert(free_variable_masks(operand_a).at("lane") == 16);
static_assert(contiguity(operand_a, "element", "k") == 16);
static_assert(rank(operand_a) == 8 && kernel(operand_a).apply(1) == 16 << 4);

// An accumulator tiled 2x2 over warps, divided again, and loaded from a row-major tile.
constexpr LinearLayout warps = parse("warp: (1,0) (0,1) -> m: 2, n: 2").value();
constexpr LinearLayout tiled = product(accumulator, warps).value();
static_assert(text(tiled).view() ==
              "register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0); "
              "warp: (16,0) (0,16) -> m: 32, n: 32");
static_assert(sublayout(divide_left(tiled, accumulator).value(), {"warp"}, {"m", "n"}).value() ==
              warps);
constexpr LinearLayout row_major =
    parse("offset: (0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,0) (4,0) (8,0) (16,0) -> m: 32, n: 32")
        .value();
constexpr LinearLayout store = invert_and_compose(tiled, row_major).value();
static_assert(store.apply({{"register", 1}, {"lane", 17}, {"warp", 3}})->at("offset") ==
              (16 + 2 + 1) * 32 + 16 + 1);

// The examples in algebra.h.
constexpr LinearLayout atom =
    parse("register: (2,0) (4,0); lane: (0,1) (1,0) -> m: 8, n: 2").value();
constexpr LinearLayout tiling = parse("register: (0,1); warp: (1,0) -> m: 2, n: 2").value();
constexpr LinearLayout repeated = product(atom, tiling).value();
static_assert(text(repeated).view() ==
              "register: (2,0) (4,0) (0,2); lane: (0,1) (1,0); warp: (8,0) -> m: 16, n: 4");
static_assert(text(divide_left(repeated, atom).value()).view() ==
              "register: (0,1); lane:; warp: (1,0) -> m: 2, n: 2");
static_assert(text(compose(parse("lane: (0,1) (1,0) -> row: 2, group: 2").value(),
                           parse("row: (2); group: (1) -> offset: 4").value())
                       .value())
                  .view() == "lane: (1) (2) -> offset: 4");

// The examples in axes.h.
static_assert(text(rename_input(atom, "lane", "thread").value()).view() ==
              "register: (2,0) (4,0); thread: (0,1) (1,0) -> m: 8, n: 2");
static_assert(text(transpose_outputs(atom, {"n", "m"}).value()).view() ==
              "register: (0,2) (0,4); lane: (1,0) (0,1) -> n: 2, m: 8");
static_assert(text(reshape_outputs(atom, {{"all", 4}}).value()).view() ==
              "register: (2) (4); lane: (8) (1) -> all: 16");
static_assert(text(sublayout(atom, {"lane"}, {"m"}).value()).view() == "lane: (0) (1) -> m: 8");
static_assert(text(resize_output(atom, "m", 4).value()).view() ==
              "register: (2,0) (4,0); lane: (0,1) (1,0) -> m: 16, n: 2");

// The example in solve.h.
// The tile of layout.h, in registers and in shared memory, and what is said there about the two.
constexpr LinearLayout held_by_lanes =
    parse("register: (0,1) (2,0); lane: (0,2) (1,0) -> row: 4, column: 4").value();
constexpr LinearLayout in_shared =
    parse("offset: (0,1) (0,2) (1,1) (2,2) -> row: 4, column: 4").value();
static_assert(text(invert(held_by_lanes).value()).view() ==
              "row: (0,2) (2,0); column: (1,0) (0,1) -> register: 4, lane: 4");
static_assert(text(invert_and_compose(held_by_lanes, in_shared).value()).view() ==
              "register: (1) (10); lane: (2) (5) -> offset: 16");
static_assert(compose(invert_and_compose(held_by_lanes, in_shared).value(), in_shared).value() ==
              held_by_lanes);
static_assert(
    text(product(held_by_lanes, parse("warp: (0,1) -> row: 1, column: 2").value()).value())
        .view() == "register: (0,1) (2,0); lane: (0,2) (1,0); warp: (0,4) -> row: 4, column: 8");

constexpr LinearLayout with_a_copy = parse("x: (1) (3) (2) (4) -> y: 8").value();
static_assert(rank(with_a_copy) == 3 && free_input_mask(with_a_copy) == 0b0100);
static_assert(kernel(with_a_copy).basis(0) == 0b0111);
static_assert(pseudo_inverse(with_a_copy).apply(0b110) == 0b1011);

// A table of a hundred layouts is read in constant evaluation within the compiler's limits.
constexpr bool hundred_parses() {
  for (int i = 0; i < 100; ++i) {
    if (!parse("element: (0,1) (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0) "
               "-> m: 16, k: 16")) {
      return false;
    }
  }
  return true;
}
static_assert(hundred_parses());

TEST(Layout, is_the_same_at_run_time_as_at_compile_time) {
  const auto again = parse(text(tiled));
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(*again == tiled);
  EXPECT_TRUE(*invert_and_compose(*again, row_major) == store);
  EXPECT_EQ(text(pseudo_inverse(operand_a)).view(),
            "m: (0,1) (0,2) (0,4) (0,8); k: (1,0) (2,0) (4,0) (8,0) -> element: 16, lane: 32");
}

}  // namespace layout_test
}  // namespace heddle::layout
