// Making a layout and asking it.
#include "heddle/layout/linear_layout.h"

#include <type_traits>

#include "random_layouts.h"

namespace heddle::layout {
namespace linear_layout_test {

using property::Point;

static_assert(std::is_trivially_copyable_v<LinearLayout>, "a kernel takes layouts as arguments");
static_assert(sizeof(LinearLayout) <= 1024, "a layout is copied by value everywhere");

constexpr auto accumulator = LinearLayout::from_bases(
    {{"register", {{2, 0}, {4, 0}, {8, 0}}}, {"lane", {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}}}},
    {{"m", 4}, {"n", 4}});
static_assert(accumulator.has_value(), accumulator.error().message());
static_assert(accumulator->apply(5 + 19 * 8) == 11 + 3 * 16);
static_assert(accumulator->apply({{"register", 5}, {"lane", 19}})->at("m") == 11);
static_assert(accumulator->basis("lane", 4, "m") == 1 && accumulator->basis("lane", 5, "m") == 0);
static_assert(LinearLayout().apply(~0ull) == 0, "the layout of a point has one output");

RC_GTEST_PROP(LinearLayout, apply_is_linear, ()) {
  const LinearLayout layout = *property::any_layout();
  const auto x = property::any_word();
  const auto y = property::any_word();
  RC_ASSERT(layout.apply(x ^ y) == (layout.apply(x) ^ layout.apply(y)));
}

RC_GTEST_PROP(LinearLayout, apply_is_the_sum_of_the_bases_everywhere, ()) {
  const LinearLayout layout = *property::any_layout();
  for (const Point& point : property::all_points(layout.inputs())) {
    Coordinates coordinates;
    for (const auto& [name, value] : point) {
      coordinates.push_back({AxisName(std::string_view(name)), value});
    }
    const auto result = layout.apply(coordinates);
    RC_ASSERT(result.has_value());
    const Point expected = property::value_at(layout, point);
    RC_ASSERT(result->size() == static_cast<int>(expected.size()));
    for (const auto& [name, value] : expected) {
      RC_ASSERT(result->at(AxisName(std::string_view(name))) == value);
    }
    const std::uint64_t flat = layout.apply(layout.inputs().pack(coordinates).value());
    RC_ASSERT(layout.outputs().pack(*result).value() == flat);
  }
}

RC_GTEST_PROP(LinearLayout, equality_sees_names_sizes_order_and_bases, ()) {
  const LinearLayout layout = *property::any_layout();
  LinearLayout::Bases bases = {};
  for (int bit = 0; bit < layout.input_bits(); ++bit) bases[bit] = layout.basis(bit);
  const auto rebuilt = [&](const AxisList& inputs, const AxisList& outputs) {
    return LinearLayout::from_words(inputs, outputs, bases).value();
  };
  RC_ASSERT(rebuilt(layout.inputs(), layout.outputs()) == layout);
  AxisList longer = layout.outputs();
  longer.push_back({"extra", 0});
  RC_ASSERT(!(rebuilt(layout.inputs(), longer) == layout));
  if (layout.input_bits() > 0 && layout.output_bits() > 0) {
    bases[property::number_in(0, layout.input_bits())] ^= 1;
    RC_ASSERT(!(rebuilt(layout.inputs(), layout.outputs()) == layout));
  }
}

TEST(LinearLayout, makes_identity_strided_and_zeros) {
  const LinearLayout identity = LinearLayout::identity(16, "lane", "n").value();
  const LinearLayout strided = LinearLayout::strided(8, 4, "register", "m").value();
  const LinearLayout zeros = LinearLayout::zeros(4, "warp", "m", 32).value();
  EXPECT_EQ(identity.output_size("n"), 16u);
  EXPECT_EQ(strided.output_size("m"), 32u);
  EXPECT_EQ(zeros.output_size("m"), 32u);
  EXPECT_EQ(LinearLayout::zeros(4, "warp", "m")->output_size("m"), 1u);
  for (std::uint64_t x = 0; x < 16; ++x) EXPECT_EQ(identity.apply(x), x);
  for (std::uint64_t x = 0; x < 8; ++x) EXPECT_EQ(strided.apply(x), x * 4);
  for (std::uint64_t x = 0; x < 4; ++x) EXPECT_EQ(zeros.apply(x), 0u);
}

TEST(LinearLayout, uses_all_64_bits) {
  const auto wide = LinearLayout::strided(std::uint64_t{1} << 32, std::uint64_t{1} << 32, "a", "b");
  ASSERT_TRUE(wide.has_value());
  EXPECT_EQ(wide->apply(0xffffffffu), 0xffffffff00000000u);
  LinearLayout::Bases bases = {};
  for (int bit = 0; bit < 64; ++bit) bases[bit] = std::uint64_t{1} << (63 - bit);
  const LinearLayout reversal = LinearLayout::from_words({{"a", 64}}, {{"b", 64}}, bases).value();
  EXPECT_EQ(reversal.apply(1), std::uint64_t{1} << 63);
  EXPECT_EQ(reversal.apply(reversal.apply(0x123456789abcdefu)), 0x123456789abcdefu);
}

TEST(LinearLayout, an_absent_axis_has_size_1) {
  EXPECT_EQ(accumulator->input_size("warp"), 1u);
  EXPECT_EQ(accumulator->output_size("k"), 1u);
  EXPECT_EQ(accumulator->basis("warp", 0, "m"), 0u);
  EXPECT_EQ(accumulator->basis("lane", 0, "k"), 0u);
  EXPECT_EQ(accumulator->basis("lane", -1, "n"), 0u);
}

template <class T>
std::string sentence(const Expected<T>& result) {
  return std::string(result.error().message().view());
}

TEST(LinearLayout, says_why_it_cannot_be_made) {
  EXPECT_EQ(
      sentence(LinearLayout::from_bases({{"register", {{0, 1}, {18, 0}}}}, {{"m", 4}, {"n", 3}})),
      "basis 1 of axis 'register' has coordinate 18 on axis 'm', which has size 16; a "
      "coordinate is below the size");
  EXPECT_EQ(sentence(LinearLayout::from_bases({{"lane", {{1}}}}, {{"m", 4}, {"n", 3}})),
            "basis 0 of axis 'lane' has 1 coordinates; it needs 2, one for each output axis");
  EXPECT_EQ(sentence(LinearLayout::from_bases({{"lane", {{1}}}, {"lane", {{2}}}}, {{"m", 4}})),
            "axis 'lane' is named twice on one side; give each axis its own name");
  EXPECT_EQ(sentence(LinearLayout::from_words({{"lane", 2}}, {{"m", 1}}, {1, 2})),
            "basis 1 of axis 'lane' is 2, outside the outputs, which have 1 bits together");
  EXPECT_EQ(sentence(LinearLayout::identity(12, "lane", "m")),
            "axis 'lane' would have size 12; sizes are powers of two, 16 is the next one");
  EXPECT_EQ(sentence(LinearLayout::identity(0, "lane", "m")),
            "axis 'lane' would have size 0; sizes are powers of two, 1 is the next one");
  EXPECT_EQ(sentence(LinearLayout::strided(4, 3, "lane", "m")),
            "the stride of axis 'lane' is 3; strides are powers of two, 4 is the next one");
  EXPECT_EQ(sentence(LinearLayout::zeros(4, "lane", "m", 6)),
            "axis 'm' would have size 6; sizes are powers of two, 8 is the next one");
  EXPECT_EQ(
      sentence(LinearLayout::strided(std::uint64_t{1} << 40, std::uint64_t{1} << 40, "a", "b")),
      "axis 'b' has 80 bits; an axis has 0 to 64");
  EXPECT_EQ(sentence(accumulator->apply({{"lane", 32}})),
            "the value 32 lies outside axis 'lane', which has size 32");
}

}  // namespace linear_layout_test
}  // namespace heddle::layout
