// Axes of one side: packing, and the rules that a side keeps.
#include "heddle/layout/axis_list.h"

#include "random_layouts.h"

namespace heddle::layout {
namespace axis_list_test {

static_assert(AxisList{{"register", 3}, {"lane", 5}}.pack({{"register", 3}, {"lane", 5}}).value() ==
              3 + 5 * 8);

RC_GTEST_PROP(AxisList, unpack_undoes_pack, ()) {
  const AxisList axes = *property::any_inputs();
  Coordinates point;
  for (const Axis& axis : axes) {
    point.push_back({axis.name, property::number_in<std::uint64_t>(0, axis.size())});
  }
  const auto flat = axes.pack(point);
  RC_ASSERT(flat.has_value());
  RC_ASSERT(axes.unpack(*flat) == point);
  for (int i = 0; i < axes.size(); ++i) RC_ASSERT(axes.coordinate(*flat, i) == point[i].value);
}

RC_GTEST_PROP(AxisList, pack_takes_any_order_and_0_for_what_is_not_named, ()) {
  const AxisList axes = *property::any_inputs();
  const std::uint64_t flat = property::any_word() & low_bits(axes.bits());
  Coordinates point;
  for (const Axis& axis : *property::shuffled(axes)) {
    const std::uint64_t value = axes.unpack(flat).at(axis.name);
    if (value != 0 || *rc::gen::arbitrary<bool>()) point.push_back({axis.name, value});
  }
  RC_ASSERT(axes.pack(point).value() == flat);
}

RC_GTEST_PROP(AxisList, pack_reaches_every_word_once, ()) {
  const AxisList axes = *property::any_inputs();
  for (std::uint64_t flat = 0; flat < std::uint64_t{1} << axes.bits(); ++flat) {
    RC_ASSERT(axes.pack(axes.unpack(flat)).value() == flat);
  }
}

TEST(AxisList, holds_64_bits_in_one_axis_and_in_eight) {
  const AxisList one = {{"all", 64}};
  EXPECT_EQ(one.check().code, ErrorCode::none);
  EXPECT_EQ(one.pack({{"all", ~std::uint64_t{0}}}).value(), ~std::uint64_t{0});
  EXPECT_EQ(one.unpack(~std::uint64_t{0}).at("all"), ~std::uint64_t{0});
  AxisList eight;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    eight.push_back({AxisName(std::string_view(name)), 8});
  }
  EXPECT_EQ(eight.check().code, ErrorCode::none);
  EXPECT_EQ(eight.pack({{"h", 255}}).value(), std::uint64_t{255} << 56);
  const AxisList with_units = {{"all", 64}, {"unit", 0}};
  EXPECT_EQ(with_units.pack({{"unit", 0}}).value(), 0u);
  EXPECT_EQ(with_units.coordinate(~std::uint64_t{0}, 1), 0u);
}

TEST(AxisList, axis_of_bit_skips_axes_of_size_1) {
  const AxisList axes = {{"a", 0}, {"b", 2}, {"c", 0}, {"d", 1}};
  EXPECT_EQ(axes.axis_of_bit(0), 1);
  EXPECT_EQ(axes.axis_of_bit(1), 1);
  EXPECT_EQ(axes.axis_of_bit(2), 3);
}

// 2^64 is a size and no 64-bit number.
TEST(AxisList, gives_sizes_below_2_to_the_64_and_0_for_that) {
  constexpr AxisList none, most = {{"m", 63}, {"n", 1}, {"k", 0}}, all = {{"m", 64}};
  static_assert(none.size_of("m") == 1);
  static_assert(most.size_of("m") == std::uint64_t{1} << 63 && most[0].size() == most.size_of("m"));
  static_assert(most.size_of("n") == 2 && most.size_of("k") == 1);
  static_assert(all.size_of("m") == 0 && all[0].size() == 0);
  volatile int bits = 64;  // not known to the optimizer either
  EXPECT_EQ((AxisList{{"m", bits}}.size_of("m")), 0u);
  EXPECT_EQ((Axis{"m", bits}.size()), 0u);
}

TEST(AxisList, says_which_rule_is_broken) {
  const auto sentence = [](const AxisList& axes) {
    return std::string(axes.check().message().view());
  };
  EXPECT_EQ(sentence({{"m", 2}, {"m", 3}}),
            "axis 'm' is named twice on one side; give each axis its own name");
  EXPECT_EQ(sentence({{"m", -1}}), "axis 'm' has -1 bits; an axis has 0 to 64");
  EXPECT_EQ(sentence({{"m", -0x7fffffff - 1}}),
            "axis 'm' has -2147483648 bits; an axis has 0 to 64");
  EXPECT_EQ(sentence({{"m", 0x7fffffff}, {"n", 0x7fffffff}}),
            "axis 'm' has 2147483647 bits; an axis has 0 to 64");
  EXPECT_EQ(sentence({{"m", 65}}), "axis 'm' has 65 bits; an axis has 0 to 64");
  EXPECT_EQ(sentence({{"m", 40}, {"n", 25}}),
            "the axes of one side have 65 bits together; a layout has at most 64 on each side");
  EXPECT_EQ(sentence({{"m", 1}, {AxisName(), 1}}),
            "axis 1 has no name; a name is 1 to 15 letters, digits and underscores, not starting "
            "with a digit");
  EXPECT_EQ(sentence({{"a", 1},
                      {"b", 1},
                      {"c", 1},
                      {"d", 1},
                      {"e", 1},
                      {"f", 1},
                      {"g", 1},
                      {"h", 1},
                      {"i", 1}}),
            "more than 8 axes on one side; a layout has at most 8 input and 8 output axes");
}

TEST(AxisList, says_why_a_point_does_not_pack) {
  const AxisList axes = {{"register", 3}, {"lane", 5}};
  const auto sentence = [&](const Coordinates& point) {
    return std::string(axes.pack(point).error().message().view());
  };
  EXPECT_EQ(sentence({{"lane", 32}}), "the value 32 lies outside axis 'lane', which has size 32");
  EXPECT_EQ(sentence({{"line", 1}}),
            "there is no axis 'line' on this side of the layout; its first axis is 'register'");
  EXPECT_EQ(sentence({{"lane", 33}, {"register", 0}}),
            "the value 33 lies outside axis 'lane', which has size 32");
  Coordinates too_many;
  for (int i = 0; i < 9; ++i) too_many.push_back({"lane", 0});
  EXPECT_FALSE(axes.pack(too_many).has_value());
  EXPECT_EQ(sentence({{"lane", 1}, {"lane", 2}}),
            "axis 'lane' is named twice on one side; give each axis its own name");
}

}  // namespace axis_list_test
}  // namespace heddle::layout
