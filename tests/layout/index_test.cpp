// Law: map_index is apply, for every input. Law: the output coordinate is the xor of its fields.
#include "heddle/layout/index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heddle/layout/text.h"

namespace heddle::layout {
namespace index_test {

// One of each kind: a fragment, a swizzle (fields that meet), one input to several outputs, zero
// bases, an output that nothing moves, a field from the middle of its axis.
constexpr LinearLayout fragment =
    parse("register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) -> m: 16, n: 16")
        .value();
constexpr LinearLayout swizzle =
    parse("group: (1) (2) (4); row: (9) (18) (36) -> offset: 64").value();
constexpr LinearLayout fan_out =
    parse("x: (1,4,0) (2,1,0) (0,0,0) (3,2,0); y: (0,0,0) (1,0,0) -> a: 4, b: 8, c: 4").value();
constexpr LinearLayout middle = parse("x: (0) (0) (4) (8) (16) (0); y: (1) (2) -> a: 32").value();

static_assert(map_index<fragment>(5, 19) == std::array{11, 3});
static_assert(map_index<swizzle>(3u, 5u) == std::array{46u});
static_assert(map_index<middle>(63, 3) == std::array{31});

template <const LinearLayout& layout, class Index>
void expect_apply_everywhere() {
  static_assert(layout.inputs().size() == 2);
  for (std::uint64_t flat = 0; flat >> layout.input_bits() == 0; ++flat) {
    const auto x = static_cast<Index>(layout.inputs().coordinate(flat, 0));
    const auto y = static_cast<Index>(layout.inputs().coordinate(flat, 1));
    const auto outputs = map_index<layout>(x, y);
    ASSERT_EQ(outputs.size(), static_cast<std::size_t>(layout.outputs().size()));
    for (int axis = 0; axis < layout.outputs().size(); ++axis) {
      ASSERT_EQ(static_cast<std::uint64_t>(outputs[static_cast<std::size_t>(axis)]),
                layout.outputs().coordinate(layout.apply(flat), axis))
          << "input " << flat << " axis " << axis;
    }
  }
}

TEST(MapIndex, IsApplyForEveryInput) {
  expect_apply_everywhere<fragment, int>();
  expect_apply_everywhere<swizzle, int>();
  expect_apply_everywhere<fan_out, int>();
  expect_apply_everywhere<middle, int>();
  expect_apply_everywhere<fragment, std::uint64_t>();
  expect_apply_everywhere<swizzle, unsigned char>();
  expect_apply_everywhere<fan_out, short>();
}

TEST(Fields, AreAsFewAsTheRunsOfBits) {
  EXPECT_EQ(count_fields(fragment, 0), 2);  // 2 * register + lane / 16
  EXPECT_EQ(count_fields(fragment, 1), 1);  // lane % 16
  EXPECT_EQ(count_fields(swizzle, 0), 3);
  EXPECT_TRUE(fields_are_disjoint(fragment, 0));
  EXPECT_FALSE(fields_are_disjoint(swizzle, 0));
}

RC_GTEST_PROP(Fields, XoredGiveTheOutputCoordinate, ()) {
  const int in_x = *rc::gen::inRange(0, 8), in_y = *rc::gen::inRange(0, 8);
  const int out_a = *rc::gen::inRange(0, 8), out_b = *rc::gen::inRange(0, 8);
  LinearLayout::Bases bases{};
  for (int bit = 0; bit < in_x + in_y; ++bit) {
    bases[static_cast<std::size_t>(bit)] =
        *rc::gen::arbitrary<std::uint64_t>() & low_bits(out_a + out_b);
  }
  const LinearLayout layout =
      LinearLayout::from_words({{"x", in_x}, {"y", in_y}}, {{"a", out_a}, {"b", out_b}}, bases)
          .value();
  const std::uint64_t input = *rc::gen::arbitrary<std::uint64_t>() & low_bits(in_x + in_y);
  for (int axis = 0; axis < 2; ++axis) {
    std::uint64_t output = 0;
    for_each_field(layout, axis, [&](const BitField& field) {
      const int x_axis = static_cast<int>(field.input);
      const std::uint64_t x = layout.inputs().coordinate(input, x_axis);
      RC_ASSERT(field.reaches_top == (field.from + field.count == layout.inputs()[x_axis].bits));
      output ^= IndexOperations<std::uint64_t>::field(x, field);
    });
    RC_ASSERT(output == layout.outputs().coordinate(layout.apply(input), axis));
  }
}

}  // namespace index_test
}  // namespace heddle::layout
