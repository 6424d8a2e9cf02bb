// A printed formula, read as C, computes the layout.
#include "heddle/layout/formula.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heddle/layout/text.h"
#include "tests/layout/expression.h"

namespace heddle::layout {
namespace formula_test {

constexpr LinearLayout fragment =
    parse("register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) -> m: 16, n: 16")
        .value();
constexpr LinearLayout swizzle =
    parse("group: (1) (2) (4); row: (9) (18) (36) -> offset: 64").value();

TEST(Expression, HasTheOperatorsOfC) {
  EXPECT_EQ(test::evaluate("1 + 2 * 3", {}), 7);
  EXPECT_EQ(test::evaluate("(1 + x) * 3", {{"x", 4}}), 15);
  EXPECT_EQ(test::evaluate("1 | 2 ^ 7 & 6 << 1 + 0", {}), 1 | (2 ^ (7 & (6 << (1 + 0)))));
  EXPECT_EQ(test::evaluate("100 / 7 % 5 - 1 - 1", {}), 100 / 7 % 5 - 1 - 1);
  EXPECT_THROW(test::evaluate("1 +", {}), std::runtime_error);
  EXPECT_THROW(test::evaluate("y", {}), std::runtime_error);
}

TEST(Formula, ReadsAsOneWouldWriteIt) {
  const auto [m, n] = map_index<fragment>(Formula("register"), Formula("lane"));
  EXPECT_EQ(m.text(), "register * 2 + lane / 16");
  EXPECT_EQ(n.text(), "lane % 16");
}

TEST(Formula, InBits) {
  const auto bits = Notation::bits;
  const auto [m, n] = map_index<fragment>(Formula("register", bits), Formula("lane", bits));
  EXPECT_EQ(m.text(), "(register << 1) | (lane >> 4)");
  EXPECT_EQ(n.text(), "lane & 15");
}

TEST(Formula, FieldsThatMeetAreXored) {
  EXPECT_EQ(formulas(swizzle), std::vector<std::string>{"(row * 8) ^ group ^ row"});
  EXPECT_EQ(formulas(swizzle, Notation::bits),
            std::vector<std::string>{"(row << 3) ^ group ^ row"});
}

TEST(Formula, NothingMovesIsZero) {
  const LinearLayout still = LinearLayout::zeros(8, "x", "y", 4).value();
  EXPECT_EQ(formulas(still), std::vector<std::string>{"0"});
}

RC_GTEST_PROP(Formula, EvaluatesToTheLayout, ()) {
  const int in_x = *rc::gen::inRange(0, 7), in_y = *rc::gen::inRange(0, 7);
  const int out_a = *rc::gen::inRange(0, 7), out_b = *rc::gen::inRange(0, 7);
  LinearLayout::Bases bases{};
  for (int bit = 0; bit < in_x + in_y; ++bit) {
    bases[static_cast<std::size_t>(bit)] =
        *rc::gen::arbitrary<std::uint64_t>() & low_bits(out_a + out_b);
  }
  const LinearLayout layout =
      LinearLayout::from_words({{"x", in_x}, {"y", in_y}}, {{"a", out_a}, {"b", out_b}}, bases)
          .value();
  const std::uint64_t input = *rc::gen::arbitrary<std::uint64_t>() & low_bits(in_x + in_y);
  const std::map<std::string, long> values{
      {"x", static_cast<long>(layout.inputs().coordinate(input, 0))},
      {"y", static_cast<long>(layout.inputs().coordinate(input, 1))}};
  for (Notation notation : {Notation::arithmetic, Notation::bits}) {
    const std::vector<std::string> texts = formulas(layout, notation);
    for (int axis = 0; axis < 2; ++axis) {
      RC_ASSERT(test::evaluate(texts[static_cast<std::size_t>(axis)], values) ==
                static_cast<long>(layout.outputs().coordinate(layout.apply(input), axis)));
    }
  }
}

}  // namespace formula_test
}  // namespace heddle::layout
