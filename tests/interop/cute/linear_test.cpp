// to_linear and from_linear against evaluate, point by point, and against a check of linearity that
// looks at every pair of coordinates.
#include "heddle/interop/cute/linear.h"

#include "tests/interop/cute/random_cute.h"
#include "tests/interop/cute/recorded.h"

namespace heddle::interop::cute {
namespace linear_test {

using namespace property;
using layout::LinearLayout;

AnyLayout any(const char* text) { return read(text).value(); }

bool has_power_of_two_sizes(const Layout& layout) {
  for (const Mode& leaf : flatten(layout))
    if (!std::has_single_bit(static_cast<std::uint64_t>(leaf.shape))) return false;
  return true;
}

/// Whether evaluate is linear over F2 in the flat coordinate.
bool is_linear(const Layout& layout) {
  const std::vector<Number> all = indices(layout);
  for (std::size_t x = 0; x < all.size(); ++x)
    for (std::size_t bit = 1; bit < all.size(); bit *= 2)
      if (all[x ^ bit] != (all[x] ^ all[bit])) return false;
  return true;
}

bool maps_alike(const AnyLayout& layout, const LinearLayout& map) {
  if (std::uint64_t{1} << map.input_bits() != static_cast<std::uint64_t>(size(layout)))
    return false;
  for (Number i = 0; i < size(layout); ++i)
    if (map.apply(static_cast<std::uint64_t>(i)) != static_cast<std::uint64_t>(evaluate(layout, i)))
      return false;
  return true;
}

RC_GTEST_PROP(Linear, ToLinearIsTheLayoutAndRefusesNoLinearOne, ()) {
  const Layout layout = number_in(0, 4) == 0 ? *any_layout() : *power_of_two_layout();
  const auto map = to_linear(layout);
  RC_CLASSIFY(map.has_value());
  RC_ASSERT(map.has_value() == (has_power_of_two_sizes(layout) && is_linear(layout)));
  if (!map) return;
  RC_ASSERT(maps_alike(layout, *map));
  RC_ASSERT(map->inputs().size() == static_cast<int>(layout.rank()));
  for (std::size_t mode = 0; mode < layout.rank(); ++mode)
    RC_ASSERT(map->inputs()[static_cast<int>(mode)].size() ==
              static_cast<std::uint64_t>(size(layout[mode])));
}

RC_GTEST_PROP(Linear, WithASwizzleToo, ()) {
  const ComposedLayout composed{*any_swizzle(), 0, *power_of_two_layout()};
  const auto map = to_linear(composed);
  RC_CLASSIFY(map.has_value());
  RC_ASSERT(map.has_value() == to_linear(composed.layout).has_value());
  if (map) RC_ASSERT(maps_alike(composed, *map));
}

RC_GTEST_PROP(Linear, FromLinearUndoesToLinear, ()) {
  AnyLayout layout = *power_of_two_layout();
  if (number_in(0, 2) == 0) layout = ComposedLayout{*any_swizzle(), 0, std::get<Layout>(layout)};
  const auto map = to_linear(layout);
  RC_CLASSIFY(map.has_value());
  if (!map) return;
  const auto again = from_linear(*map);
  RC_ASSERT(again.has_value());
  RC_ASSERT((to_linear(*again) == map));
}

/// Words that are strides after this swizzle.
bool is_separated_by(const Swizzle& swizzle, const LinearLayout& map) {
  detail::Words words;
  for (int bit = 0; bit < map.input_bits(); ++bit) words.push_back(map.basis(bit));
  return detail::are_disjoint(detail::swizzled(words, swizzle));
}

RC_GTEST_PROP(Linear, FromLinearAnswersForEveryMapOrNoSwizzleDoes, ()) {
  const LinearLayout map = *layout::property::layout_between(
      *layout::property::any_inputs(), layout::AxisList{{"offset", number_in(0, 9)}});
  const auto layout = from_linear(map);
  RC_CLASSIFY(layout.has_value());
  if (layout) {
    RC_ASSERT(maps_alike(*layout, map));
    return;
  }
  for (int bits = 0; bits <= 4; ++bits)
    for (int base = 0; base < 9; ++base)
      for (int shift = -9; shift <= 9; ++shift)
        if (!check(Swizzle{bits, base, shift}) && bits + base + std::abs(shift) <= 9)
          RC_ASSERT(!is_separated_by({bits, base, shift}, map));
}

TEST(Linear, TextbookLayouts) {
  const auto text_of = [](const char* text) {
    return std::string(layout::text(to_linear(any(text)).value()).view());
  };
  EXPECT_EQ(text_of("((4,8),(2,2)):((32,1),(16,8))"),
            "dim0: (32) (64) (1) (2) (4); dim1: (16) (8) -> offset: 128");
  EXPECT_EQ(text_of("Sw<3,3,3> o 0 o (8,64):(64,1)"),
            "dim0: (72) (144) (288); dim1: (1) (2) (4) (8) (16) (32) -> offset: 512");
  EXPECT_EQ(text_of("(2,4):(3,0)"), "dim0: (3); dim1: (0) (0) -> offset: 4");
  EXPECT_EQ(text(from_linear(to_linear(any("Sw<3,3,3> o 0 o (8,64):(64,1)")).value()).value()),
            "Sw<3,3,3> o 0 o (8,64):(64,1)");
}

TEST(Linear, RefusalsNameTheLeaf) {
  const auto refusal = [](const char* text) { return to_linear(any(text)).error(); };
  EXPECT_EQ(refusal("(4,3):(1,4)"),
            "leaf 3:4 of mode 1 has size 3; a linear map has sizes that are powers of two");
  EXPECT_EQ(refusal("(2,4):(1,3)"),
            "leaf 4:3 of mode 1 adds 3 where leaf 2:1 of mode 0 adds 1: the sum carries, so it is "
            "no xor, and the map is not linear");
  EXPECT_EQ(refusal("(2,4):(1,-2)"),
            "leaf 4:-2 of mode 1 goes backwards; a linear map sends coordinate 0 to offset 0");
  EXPECT_EQ(refusal("Sw<3,3,3> o 8 o (8,64):(64,1)"),
            "the offset 8 before the swizzle is not 0; a linear map sends coordinate 0 to 0");
  EXPECT_EQ(refusal("(2,2,2,2,2,2,2,2,2):(1,2,4,8,16,32,64,128,256)"),
            "the layout has 9 modes; a linear map has at most 8 axes on a side");
  EXPECT_EQ(from_linear(layout::parse("dim0: (1) (3) (2) -> offset: 4").value()).error(),
            "basis 0 of dim0 (1) and basis 1 of dim0 (3) share bits, so they are no strides, and "
            "no Swizzle<B,M,S> parts all the bases");
  EXPECT_EQ(from_linear(layout::parse("lane: (1,0) (0,1) -> m: 2, n: 2").value()).error(),
            "the map has 2 output axes; shape:stride gives one offset (reshape them into one)");
}

}  // namespace linear_test
}  // namespace heddle::interop::cute
