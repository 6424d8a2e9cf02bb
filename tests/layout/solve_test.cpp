// Laws of elimination, over random layouts; the witness counts and searches every point.
#include "heddle/layout/solve.h"

#include <set>

#include "random_layouts.h"

namespace heddle::layout {
namespace solve_test {

using property::all_points;
using property::Point;
using property::times_reached;
using property::value_at;

template <class T>
std::string sentence(const Expected<T>& result) {
  return std::string(result.error().message().view());
}

Point zero_of(const AxisList& axes) {
  Point zero;
  for (const Axis& axis : axes) zero[std::string(axis.name.text())] = 0;
  return zero;
}

std::set<Point> reached(const LinearLayout& layout) {
  std::set<Point> outputs;
  for (const auto& [output, times] : times_reached(layout)) outputs.insert(output);
  return outputs;
}

RC_GTEST_PROP(Solve, rank_counts_the_outputs, ()) {
  const LinearLayout layout = *property::any_layout();
  RC_ASSERT(reached(layout).size() == std::size_t{1} << rank(layout));
}

RC_GTEST_PROP(Solve, is_injective_says_that_no_two_inputs_share_an_output, ()) {
  const LinearLayout layout = *property::any_layout();
  bool shared = false;
  for (const auto& [output, times] : times_reached(layout)) shared |= times > 1;
  RC_ASSERT(is_injective(layout) == !shared);
}

RC_GTEST_PROP(Solve, is_surjective_says_that_every_output_is_reached, ()) {
  const LinearLayout layout = *property::any_layout();
  const std::size_t outputs = std::size_t{1} << layout.output_bits();
  RC_ASSERT(is_surjective(layout) == (reached(layout).size() == outputs));
}

RC_GTEST_PROP(Solve, is_invertible_says_that_every_output_is_reached_once, ()) {
  const LinearLayout layout =
      *rc::gen::oneOf(property::any_layout(), property::invertible_layout());
  const auto times = times_reached(layout);
  bool once = times.size() == std::size_t{1} << layout.output_bits();
  for (const auto& [output, count] : times) once &= count == 1;
  RC_ASSERT(is_invertible(layout) == once);
}

RC_GTEST_PROP(Solve, free_bits_are_replication, ()) {
  const LinearLayout layout = *property::any_layout();
  const std::uint64_t free = free_input_mask(layout);
  const Coordinates masks = free_variable_masks(layout);
  RC_ASSERT(layout.inputs().pack(masks).value() == free);
  std::map<std::uint64_t, int> times;
  for (std::uint64_t x = 0; x < std::uint64_t{1} << layout.input_bits(); ++x) {
    times[layout.apply(x)] += (x & free) == 0;
  }
  for (const auto& [output, count] : times) RC_ASSERT(count == 1);
}

RC_GTEST_PROP(Solve, kernel_holds_all_that_goes_to_zero, ()) {
  const LinearLayout layout = *property::any_layout();
  const LinearLayout zeros = kernel(layout);
  std::set<Point> expected;
  const Point zero = zero_of(layout.outputs());
  for (const Point& point : all_points(layout.inputs())) {
    if (value_at(layout, point) == zero) expected.insert(point);
  }
  RC_ASSERT(reached(zeros) == expected);
  RC_ASSERT(expected.size() == std::size_t{1} << zeros.input_bits());
  RC_ASSERT(zeros.input_bits() == layout.input_bits() - rank(layout));
}

RC_GTEST_PROP(Solve, image_reaches_the_same_outputs, ()) {
  const LinearLayout layout = *property::any_layout();
  const LinearLayout same = image(layout);
  RC_ASSERT(reached(same) == reached(layout));
  RC_ASSERT(reached(same).size() == std::size_t{1} << same.input_bits());
}

RC_GTEST_PROP(Solve, complement_completes, ()) {
  const LinearLayout layout = *property::any_layout();
  const LinearLayout rest = complement(layout);
  RC_ASSERT(rest.outputs() == layout.outputs());
  // Every output is the sum of one output of the layout and one of the complement, in one way.
  std::map<std::uint64_t, int> times;
  const std::set<Point> outputs = reached(layout);
  for (const Point& output : outputs) {
    Coordinates point;
    for (const auto& [name, value] : output) {
      point.push_back({AxisName(std::string_view(name)), value});
    }
    const std::uint64_t word = layout.outputs().pack(point).value();
    for (std::uint64_t y = 0; y < std::uint64_t{1} << rest.input_bits(); ++y) {
      ++times[word ^ rest.apply(y)];
    }
  }
  RC_ASSERT(times.size() == std::size_t{1} << layout.output_bits());
  for (const auto& [output, count] : times) RC_ASSERT(count == 1);
}

RC_GTEST_PROP(Solve, pseudo_inverse_finds_an_input, ()) {
  const LinearLayout layout = *property::any_layout();
  const LinearLayout back = pseudo_inverse(layout);
  RC_ASSERT(*compose(*compose(layout, back), layout) == layout);
  RC_ASSERT(*compose(*compose(back, layout), back) == back);
  const std::uint64_t free = free_input_mask(layout);
  for (std::uint64_t x = 0; x < std::uint64_t{1} << layout.input_bits(); ++x) {
    const std::uint64_t found = back.apply(layout.apply(x));
    RC_ASSERT(layout.apply(found) == layout.apply(x));
    RC_ASSERT((found & free) == 0);
  }
  const LinearLayout rest = complement(layout);
  for (int bit = 0; bit < rest.input_bits(); ++bit) RC_ASSERT(back.apply(rest.basis(bit)) == 0);
}

RC_GTEST_PROP(Solve, invert_undoes, ()) {
  const LinearLayout layout = *property::invertible_layout();
  const auto inverse = invert(layout);
  RC_ASSERT(inverse.has_value());
  for (const Point& point : all_points(layout.inputs())) {
    RC_ASSERT(value_at(*inverse, value_at(layout, point)) == point);
  }
  for (const Point& point : all_points(layout.outputs())) {
    RC_ASSERT(value_at(layout, value_at(*inverse, point)) == point);
  }
}

RC_GTEST_PROP(Solve, invert_is_refused_only_when_there_is_no_inverse, ()) {
  const LinearLayout layout =
      *rc::gen::oneOf(property::any_layout(), property::invertible_layout());
  RC_ASSERT(invert(layout).has_value() == is_invertible(layout));
}

RC_GTEST_PROP(Solve, invert_and_compose_solves, ()) {
  const LinearLayout to = *property::any_layout();
  // A map into the inputs of `to`, so that a solution exists; its outputs in another order.
  const LinearLayout way = *property::layout_between(*property::any_axes({"thread", "slot"}),
                                                     *property::shuffled(to.inputs()));
  const LinearLayout straight = compose(way, to).value();
  LinearLayout::Bases bases = {};
  const AxisList outputs = *property::shuffled(straight.outputs());
  const FieldMove move(straight.outputs(), outputs);
  for (int bit = 0; bit < straight.input_bits(); ++bit) bases[bit] = move(straight.basis(bit));
  const auto from = LinearLayout::from_words(straight.inputs(), outputs, bases).value();

  const auto found = invert_and_compose(from, to);
  RC_ASSERT(found.has_value());
  const LinearLayout back = compose(*found, to).value();
  RC_ASSERT(property::same_map(back, from));
  const std::uint64_t free = free_input_mask(to);
  for (int bit = 0; bit < found->input_bits(); ++bit) RC_ASSERT((found->basis(bit) & free) == 0);
}

RC_GTEST_PROP(Solve, invert_and_compose_is_refused_only_when_there_is_no_solution, ()) {
  const LinearLayout to = *property::any_layout();
  const LinearLayout from =
      *property::layout_between(*property::any_axes({"thread", "slot"}), to.outputs());
  const std::set<Point> targets = reached(to);
  bool exists = true;
  for (const Point& wanted : reached(from)) exists &= targets.contains(wanted);
  RC_ASSERT(invert_and_compose(from, to).has_value() == exists);
}

RC_GTEST_PROP(Solve, contiguity_is_the_vector_width, ()) {
  // Often the start of an identity, else nearly every layout would answer 1.
  LinearLayout layout = *property::any_layout();
  LinearLayout::Bases bases = {};
  const int bits = std::min(layout.input_bits(), layout.output_bits());
  const int straight = property::number_in(0, bits + 1);
  const std::uint64_t quiet = *rc::gen::arbitrary<bool>() ? ~low_bits(straight) : ~0ull;
  for (int bit = 0; bit < layout.input_bits(); ++bit) {
    bases[bit] = bit < straight ? std::uint64_t{1} << bit : layout.basis(bit) & quiet;
  }
  layout = LinearLayout::from_words(layout.inputs(), layout.outputs(), bases).value();
  const std::uint64_t inputs = std::uint64_t{1} << layout.input_bits();
  const auto holds = [&](std::uint64_t width) {
    for (std::uint64_t x = 0; x < inputs; ++x) {
      const std::uint64_t begin = x / width * width;
      if (layout.apply(x) != layout.apply(begin) + (x - begin)) return false;
    }
    return true;
  };
  std::uint64_t widest = 1;
  while (widest * 2 <= inputs && holds(widest * 2)) widest *= 2;
  RC_ASSERT(contiguity(layout) == widest);
}

RC_GTEST_PROP(Solve, contiguity_along_axes_is_that_of_the_transposed_layout, ()) {
  const LinearLayout layout = *property::any_layout();
  for (const Axis& in : layout.inputs()) {
    for (const Axis& out : layout.outputs()) {
      const auto holds = [&](std::uint64_t width) {
        for (const Point& point : all_points(layout.inputs())) {
          Point begin = point;
          std::uint64_t& x = begin[std::string(in.name.text())];
          const std::uint64_t step = x % width;
          x -= step;
          Point expected = value_at(layout, begin);
          expected[std::string(out.name.text())] += step;
          if (value_at(layout, point) != expected) return false;
        }
        return true;
      };
      std::uint64_t widest = 1;
      while (widest * 2 <= in.size() && holds(widest * 2)) widest *= 2;
      RC_ASSERT(contiguity(layout, in.name, out.name) == widest);
    }
  }
}

TEST(Solve, contiguity_of_the_widest_layouts_does_not_overflow) {
  LinearLayout::Bases bases = {};
  for (int bit = 0; bit < 64; ++bit) bases[bit] = std::uint64_t{1} << bit;
  const LinearLayout all = LinearLayout::from_words({{"a", 64}}, {{"b", 64}}, bases).value();
  EXPECT_EQ(contiguity(all), std::uint64_t{1} << 63);
  EXPECT_EQ(contiguity(all, "a", "b"), std::uint64_t{1} << 63);
  EXPECT_EQ(contiguity(LinearLayout()), 1u);
  EXPECT_TRUE(is_invertible(all));
  EXPECT_EQ(kernel(all).input_bits(), 0);
}

TEST(Solve, says_why_there_is_no_inverse) {
  const auto copies = LinearLayout::from_bases({{"register", {{1, 0}}}, {"lane", {{0, 1}, {1, 1}}}},
                                               {{"m", 1}, {"n", 2}})
                          .value();
  EXPECT_EQ(
      sentence(invert(copies)),
      "the layout is not injective: basis 1 of input axis 'lane' is zero or a combination of "
      "the bases before it, so several inputs share an output; an invertible layout has none");
  const auto sparse = LinearLayout::strided(4, 2, "lane", "m").value();
  EXPECT_EQ(sentence(invert(sparse)),
            "the layout is not surjective: no input reaches coordinate 1 of output axis 'm' alone; "
            "an invertible layout reaches every output");
}

TEST(Solve, says_which_basis_has_no_solution) {
  const auto from = LinearLayout::identity(8, "lane", "m").value();
  const auto to = LinearLayout::from_bases({{"offset", {{1}, {4}}}}, {{"m", 3}}).value();
  EXPECT_EQ(sentence(invert_and_compose(from, to)),
            "no solution: basis 1 of input axis 'lane' of the first layout leads to an output that "
            "the second layout never reaches");
  EXPECT_EQ(sentence(invert_and_compose(from, LinearLayout::identity(4, "offset", "m").value())),
            "axis 'm' has size 8 in the first layout and 4 in the second; make them equal");
}

TEST(Solve, gives_a_load_of_a_swizzled_tile) {
  // Row r keeps its group g at g ^ r: the load of group g of row r goes to 8 * r + (g ^ r).
  const auto shared = LinearLayout::from_bases(
      {{"offset", {{0, 1}, {0, 2}, {0, 4}, {1, 1}, {2, 2}, {4, 4}}}}, {{"row", 3}, {"group", 3}});
  const auto lanes = LinearLayout::from_bases({{"lane", {{1, 0}, {2, 0}, {4, 0}, {0, 1}, {0, 2}}}},
                                              {{"row", 3}, {"group", 3}});
  const LinearLayout load = invert_and_compose(lanes.value(), shared.value()).value();
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t row = lane % 8, group = lane / 8;
    EXPECT_EQ(load.apply(lane), row * 8 + (group ^ row));
  }
}

}  // namespace solve_test
}  // namespace heddle::layout
