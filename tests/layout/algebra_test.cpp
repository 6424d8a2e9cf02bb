// Laws of composition, product and quotient, over random layouts and by brute force.
#include "heddle/layout/algebra.h"

#include "random_layouts.h"

namespace heddle::layout {
namespace algebra_test {

using property::Point;

// Two layouts of which the second takes what the first gives, its axes perhaps in another order.
LinearLayout after(const LinearLayout& first, const std::vector<std::string>& names) {
  return *property::layout_between(*property::shuffled(first.outputs()),
                                   *property::any_axes(names));
}

RC_GTEST_PROP(Algebra, compose_applies_inner_then_outer, ()) {
  const LinearLayout inner = *property::any_layout();
  const LinearLayout outer = after(inner, {"offset", "bank"});
  const auto both = compose(inner, outer);
  RC_ASSERT(both.has_value());
  RC_ASSERT(both->inputs() == inner.inputs());
  RC_ASSERT(both->outputs() == outer.outputs());
  for (const Point& point : property::all_points(inner.inputs())) {
    RC_ASSERT(property::value_at(*both, point) ==
              property::value_at(outer, property::value_at(inner, point)));
  }
}

RC_GTEST_PROP(Algebra, compose_is_associative, ()) {
  const LinearLayout f = *property::any_layout();
  const LinearLayout g = after(f, {"offset", "row"});
  const LinearLayout h = after(g, {"bank", "phase", "word"});
  RC_ASSERT(*compose(*compose(f, g), h) == *compose(f, *compose(g, h)));
}

// The identity of axes.
LinearLayout identity_of(const AxisList& axes) {
  LinearLayout::Bases bases = {};
  for (int bit = 0; bit < axes.bits(); ++bit) bases[bit] = std::uint64_t{1} << bit;
  return LinearLayout::from_words(axes, axes, bases).value();
}

RC_GTEST_PROP(Algebra, identities_are_the_units_of_compose, ()) {
  const LinearLayout layout = *property::any_layout();
  RC_ASSERT(*compose(identity_of(layout.inputs()), layout) == layout);
  RC_ASSERT(*compose(layout, identity_of(layout.outputs())) == layout);
}

// The coordinates of two points of the parts as one point of their product.
Point joined(const Point& low, const Point& high, const AxisList& low_axes) {
  Point point = low;
  for (const auto& [name, value] : high) {
    point[name] |= value << low_axes.bits_of(AxisName(std::string_view(name)));
  }
  return point;
}

RC_GTEST_PROP(Algebra, product_keeps_its_parts_apart, ()) {
  const LinearLayout low = *property::layout_between(*property::any_axes({"register", "lane"}, 4),
                                                     *property::any_outputs());
  const LinearLayout high =
      *property::layout_between(*property::any_axes({"lane", "warp", "register"}, 4),
                                *property::any_axes({"k", "m", "batch"}));
  const auto both = product(low, high);
  RC_ASSERT(both.has_value());
  for (const Point& x : property::all_points(low.inputs())) {
    for (const Point& y : property::all_points(high.inputs())) {
      RC_ASSERT(property::value_at(*both, joined(x, y, low.inputs())) ==
                joined(property::value_at(low, x), property::value_at(high, y), low.outputs()));
    }
  }
}

RC_GTEST_PROP(Algebra, product_is_associative, ()) {
  const LinearLayout f = *property::any_layout();
  const LinearLayout g = *property::any_layout();
  const LinearLayout h = *property::any_layout();
  RC_ASSERT(*product(*product(f, g), h) == *product(f, *product(g, h)));
}

// The layout with axes of size 1 added, so that it has all axes of the other two, in their order.
LinearLayout padded(const LinearLayout& layout, const LinearLayout& shape) {
  const auto units = [](const AxisList& axes) {
    AxisList result;
    for (const Axis& axis : axes) result.push_back({axis.name, 0});
    return result;
  };
  const LinearLayout empty =
      LinearLayout::from_words(units(shape.inputs()), units(shape.outputs()), {}).value();
  return product(empty, layout).value();
}

RC_GTEST_PROP(Algebra, divide_left_undoes_product, ()) {
  const LinearLayout part = *property::any_layout();
  const LinearLayout rest = *property::any_layout();
  const LinearLayout whole = product(part, rest).value();
  const auto quotient = divide_left(whole, part);
  RC_ASSERT(quotient.has_value());
  RC_ASSERT(*quotient == padded(rest, whole));
  RC_ASSERT(*product(part, *quotient) == whole);
}

// For any two layouts: either the quotient multiplies back, or no layout of its shape does.
RC_GTEST_PROP(Algebra, divide_left_is_refused_only_when_nothing_multiplies_back, ()) {
  const AxisList inputs = {{"lane", 2}, {"register", 1}};
  const AxisList outputs = {{"m", 1}, {"n", 1}};
  const LinearLayout whole = *property::layout_between(inputs, outputs);
  const LinearLayout part = *property::layout_between({{"lane", property::number_in(0, 3)}},
                                                      {{"m", property::number_in(0, 2)}});
  const auto quotient = divide_left(whole, part);
  bool exists = false;
  const AxisList rest_inputs = {{"lane", 2 - part.input_bits()}, {"register", 1}};
  const AxisList rest_outputs = {{"m", 1 - part.output_bits()}, {"n", 1}};
  const int bits = rest_inputs.bits() * rest_outputs.bits();
  for (std::uint64_t choice = 0; choice < std::uint64_t{1} << bits; ++choice) {
    LinearLayout::Bases bases = {};
    for (int bit = 0; bit < rest_inputs.bits(); ++bit) {
      bases[bit] = choice >> bit * rest_outputs.bits() & low_bits(rest_outputs.bits());
    }
    const auto rest = LinearLayout::from_words(rest_inputs, rest_outputs, bases).value();
    exists |= *product(part, rest) == whole;
  }
  RC_ASSERT(quotient.has_value() == exists);
  if (exists) RC_ASSERT(*product(part, *quotient) == whole);
}

template <class T>
std::string sentence(const Expected<T>& result) {
  return std::string(result.error().message().view());
}

TEST(Algebra, says_why_layouts_do_not_compose) {
  const LinearLayout inner = LinearLayout::identity(16, "lane", "n").value();
  EXPECT_EQ(sentence(compose(inner, LinearLayout::identity(8, "n", "offset").value())),
            "axis 'n' has size 16 in the first layout and 8 in the second; make them equal");
  EXPECT_EQ(sentence(compose(inner, LinearLayout::identity(16, "m", "offset").value())),
            "axis 'n' of the first layout is missing in the second; the two need the same axes "
            "there");
  EXPECT_EQ(sentence(compose(LinearLayout(), inner)),
            "axis 'lane' of the second layout is missing in the first; the two need the same axes "
            "there");
}

TEST(Algebra, says_why_a_product_is_too_large) {
  const auto wide = LinearLayout::zeros(std::uint64_t{1} << 40, "lane", "m").value();
  EXPECT_EQ(sentence(product(wide, wide)), "axis 'lane' has 80 bits; an axis has 0 to 64");
}

TEST(Algebra, says_why_a_layout_does_not_divide) {
  const auto whole = LinearLayout::from_bases({{"lane", {{1, 0}, {2, 1}}}}, {{"m", 2}, {"n", 1}});
  const auto divided_by = [&](std::uint64_t size, std::uint64_t stride, AxisName in, AxisName out) {
    return sentence(divide_left(*whole, LinearLayout::strided(size, stride, in, out).value()));
  };
  EXPECT_EQ(divided_by(2, 1, "warp", "m"),
            "not divisible: axis 'warp' of the part is missing in the whole");
  EXPECT_EQ(divided_by(2, 4, "lane", "m"),
            "not divisible: axis 'm' has size 8 in the part and only 4 in the whole");
  EXPECT_EQ(divided_by(2, 2, "lane", "m"),
            "not divisible: basis 0 of input axis 'lane' differs between the part and the whole");
  EXPECT_EQ(sentence(divide_left(*whole,
                                 LinearLayout::from_bases({{"lane", {{1}}}}, {{"m", 2}}).value())),
            "not divisible: basis 1 of input axis 'lane' of the whole belongs to the quotient but "
            "moves inside the part's coordinates of output axis 'm'");
}

}  // namespace algebra_test
}  // namespace heddle::layout
