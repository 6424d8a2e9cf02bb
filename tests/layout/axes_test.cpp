// Laws of the operations on axes, by brute force on named points.
#include "heddle/layout/axes.h"

#include "random_layouts.h"

namespace heddle::layout {
namespace axes_test {

using property::all_points;
using property::Point;
using property::value_at;

template <class T>
std::string sentence(const Expected<T>& result) {
  return std::string(result.error().message().view());
}

NameList names_in(const AxisList& axes) {
  NameList names;
  for (const Axis& axis : axes) names.push_back(axis.name);
  return names;
}

// A few of the axes, in any order.
AxisList some_of(const AxisList& axes) {
  AxisList result;
  const AxisList order = *property::shuffled(axes);
  const int count = property::number_in(0, order.size() + 1);
  for (int i = 0; i < count; ++i) result.push_back(order[i]);
  return result;
}

RC_GTEST_PROP(Axes, rename_changes_a_name_only, ()) {
  const LinearLayout layout = *property::any_layout();
  LinearLayout renamed = layout;
  for (const Axis& axis : layout.inputs()) {
    renamed = rename_input(renamed, axis.name, "new_name").value();
    RC_ASSERT(renamed.inputs().bits_of("new_name") == axis.bits);
    for (int bit = 0; bit < layout.input_bits(); ++bit) {
      RC_ASSERT(renamed.basis(bit) == layout.basis(bit));
    }
    renamed = rename_input(renamed, "new_name", axis.name).value();
    RC_ASSERT(renamed == layout);
  }
  for (const Axis& axis : layout.outputs()) {
    renamed = rename_output(renamed, axis.name, "new_name").value();
    RC_ASSERT(renamed.outputs().bits_of("new_name") == axis.bits);
    RC_ASSERT(!(renamed == layout));
    renamed = rename_output(renamed, "new_name", axis.name).value();
    RC_ASSERT(renamed == layout);
  }
}

RC_GTEST_PROP(Axes, sublayout_selects_axes, ()) {
  const LinearLayout layout = *property::any_layout();
  const AxisList inputs = some_of(layout.inputs());
  const AxisList outputs = some_of(layout.outputs());
  const auto part = sublayout(layout, names_in(inputs), names_in(outputs));
  RC_ASSERT(part.has_value());
  RC_ASSERT(part->inputs() == inputs);
  RC_ASSERT(part->outputs() == outputs);
  for (const Point& point : all_points(inputs)) {
    const Point whole = value_at(layout, point);
    for (const auto& [name, value] : value_at(*part, point)) RC_ASSERT(whole.at(name) == value);
  }
}

RC_GTEST_PROP(Axes, transpose_reorders_axes, ()) {
  const LinearLayout layout = *property::any_layout();
  const AxisList inputs = *property::shuffled(layout.inputs());
  const AxisList outputs = *property::shuffled(layout.outputs());
  const auto half = transpose_inputs(layout, names_in(inputs));
  RC_ASSERT(half.has_value());
  const auto full = transpose_outputs(*half, names_in(outputs));
  RC_ASSERT(full.has_value());
  RC_ASSERT(full->inputs() == inputs);
  RC_ASSERT(full->outputs() == outputs);
  RC_ASSERT(property::same_map(*full, layout));
}

RC_GTEST_PROP(Axes, reshape_regroups_bits, ()) {
  const LinearLayout layout = *property::any_layout();
  const AxisList inputs = property::regrouped(layout.input_bits(), {"a", "b", "c"});
  const AxisList outputs = property::regrouped(layout.output_bits(), {"x", "y", "z"});
  const auto reshaped = reshape_outputs(reshape_inputs(layout, inputs).value(), outputs);
  RC_ASSERT(reshaped.has_value());
  RC_ASSERT(reshaped->inputs() == inputs);
  RC_ASSERT(reshaped->outputs() == outputs);
  for (std::uint64_t x = 0; x < std::uint64_t{1} << layout.input_bits(); ++x) {
    RC_ASSERT(reshaped->apply(x) == layout.apply(x));
  }
}

RC_GTEST_PROP(Axes, concatenate_inputs_adds, ()) {
  const LinearLayout first = *property::layout_between(*property::any_axes({"register", "lane"}, 4),
                                                       *property::any_outputs());
  const LinearLayout second = *property::layout_between(*property::any_axes({"warp", "block"}, 4),
                                                        *property::shuffled(first.outputs()));
  const auto both = concatenate_inputs(first, second);
  RC_ASSERT(both.has_value());
  for (const Point& point : all_points(both->inputs())) {
    Point sum = value_at(first, point);
    for (const auto& [name, value] : value_at(second, point)) sum[name] ^= value;
    RC_ASSERT(value_at(*both, point) == sum);
  }
}

RC_GTEST_PROP(Axes, concatenate_outputs_pairs, ()) {
  const LinearLayout first =
      *property::layout_between(*property::any_inputs(), *property::any_axes({"m", "n"}));
  const LinearLayout second = *property::layout_between(*property::shuffled(first.inputs()),
                                                        *property::any_axes({"k", "batch"}));
  const auto both = concatenate_outputs(first, second);
  RC_ASSERT(both.has_value());
  for (const Point& point : all_points(both->inputs())) {
    Point pair = value_at(first, point);
    pair.merge(value_at(second, point));
    RC_ASSERT(value_at(*both, point) == pair);
  }
}

RC_GTEST_PROP(Axes, resize_output_keeps_every_point, ()) {
  const LinearLayout layout = *property::any_layout();
  if (layout.outputs().size() == 0) return;
  const Axis axis = layout.outputs()[property::number_in(0, layout.outputs().size())];
  const int bits = property::number_in(0, 8);
  const auto resized = resize_output(layout, axis.name, bits);
  std::uint64_t used = 0;
  for (const Point& point : all_points(layout.inputs())) {
    used |= value_at(layout, point).at(std::string(axis.name.text()));
  }
  RC_ASSERT(resized.has_value() == (used < std::uint64_t{1} << bits));
  if (!resized) return;
  RC_ASSERT(resized->outputs().bits_of(axis.name) == bits);
  for (const Point& point : all_points(layout.inputs())) {
    RC_ASSERT(value_at(*resized, point) == value_at(layout, point));
  }
}

constexpr auto tile = LinearLayout::from_bases(
    {{"register", {{2, 0}, {4, 0}}}, {"lane", {{0, 1}, {0, 2}, {1, 0}}}}, {{"m", 3}, {"n", 2}});

TEST(Axes, say_what_is_wrong_with_a_name) {
  EXPECT_EQ(sentence(rename_input(*tile, "line", "warp")),
            "there is no axis 'line' on this side of the layout; its first axis is 'register'");
  EXPECT_EQ(sentence(rename_output(*tile, "m", "n")),
            "axis 'n' is named twice on one side; give each axis its own name");
  EXPECT_EQ(sentence(sublayout(*tile, {"warp"}, {"m"})),
            "there is no axis 'warp' on this side of the layout; its first axis is 'register'");
  EXPECT_EQ(sentence(sublayout(*tile, {"lane", "lane"}, {"m"})),
            "axis 'lane' is named twice on one side; give each axis its own name");
}

TEST(Axes, say_what_is_wrong_with_an_order) {
  EXPECT_EQ(sentence(transpose_inputs(*tile, {"lane"})),
            "the order must name each of the 2 axes once; 'register' is missing or named twice");
  EXPECT_EQ(sentence(transpose_outputs(*tile, {"m", "n", "m"})),
            "the order must name each of the 2 axes once; 'm' is missing or named twice");
  EXPECT_EQ(sentence(transpose_outputs(*tile, {"m", "n", "k"})),
            "there is no axis 'k' on this side of the layout; its first axis is 'm'");
}

TEST(Axes, say_what_is_wrong_with_a_shape) {
  EXPECT_EQ(sentence(reshape_inputs(*tile, {{"all", 6}})),
            "the new axes have 6 bits together and the old ones 5; a reshape keeps the number of "
            "bits");
  EXPECT_EQ(sentence(resize_output(*tile, "m", 2)),
            "axis 'm' cannot shrink to size 4: basis 1 of input axis 'register' reaches further");
  EXPECT_EQ(sentence(resize_output(*tile, "m", -3)), "axis 'm' has -3 bits; an axis has 0 to 64");
  EXPECT_EQ(sentence(resize_output(*tile, "m", 63)),
            "the axes of one side have 65 bits together; a layout has at most 64 on each side");
}

TEST(Axes, say_why_layouts_do_not_join) {
  EXPECT_EQ(sentence(concatenate_inputs(*tile, *tile)),
            "axis 'register' is in both layouts; rename it in one of them");
  EXPECT_EQ(sentence(concatenate_outputs(*tile, *tile)),
            "axis 'm' is in both layouts; rename it in one of them");
  EXPECT_EQ(sentence(concatenate_inputs(*tile, LinearLayout::identity(8, "warp", "m").value())),
            "axis 'n' of the first layout is missing in the second; the two need the same axes "
            "there");
}

}  // namespace axes_test
}  // namespace heddle::layout
