// Tiles repeated and cut: brute force over every place and element, and the lists that Gluon
// writes.
#include "heddle/interop/triton/tile.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "heddle/layout/text.h"

namespace heddle::interop::triton {
namespace tile_test {

std::int64_t power(int least, int most) {
  return std::int64_t{1} << *rc::gen::inRange(least, most);
}

// A tile of 2 x 4 elements, one each in 8 lanes. Whatever the shape: an element's lane is the one
// that the coordinates inside the tile say, every element is held, and copies appear only where the
// shape is smaller than the tile.
RC_GTEST_PROP(Tile, RepeatsAndCuts, ()) {
  const Numbers order = *rc::gen::arbitrary<bool>() ? Numbers{1, 0} : Numbers{0, 1};
  const Numbers shape{power(0, 5), power(0, 5)};
  const auto map =
      Tile(distributed_inputs(), order).spread("lane", 4, 1).spread("lane", 2, 0).fill({}, shape);
  RC_ASSERT(map.has_value());
  std::set<std::uint64_t> held;
  for (std::uint64_t place = 0; place >> map->input_bits() == 0; ++place) {
    const auto at = map->inputs().unpack(place);
    const auto element = map->outputs().unpack(map->apply(place));
    const std::uint64_t row = element.at("dim0");
    const std::uint64_t column = element.at("dim1");
    RC_ASSERT(row < static_cast<std::uint64_t>(shape[0]));
    RC_ASSERT(column < static_cast<std::uint64_t>(shape[1]));
    if (shape[0] >= 2) RC_ASSERT(at.at("lane") / 4 == row % 2);
    if (shape[1] >= 4) RC_ASSERT(at.at("lane") % 4 == column % 4);
    held.insert(map->apply(place));
  }
  RC_ASSERT(held.size() == static_cast<std::size_t>(shape[0] * shape[1]));
  RC_ASSERT(map->inputs().bits_of("lane") == 3);
  const std::int64_t registers =
      std::max<std::int64_t>(1, shape[0] / 2) * std::max<std::int64_t>(1, shape[1] / 4);
  RC_ASSERT(map->input_size("register") == static_cast<std::uint64_t>(registers));
}

TEST(Tile, RepetitionsFollowTheOrderOfTheDimensions) {
  const auto filled = [](const Numbers& order) {
    return std::string(
        layout::text(*Tile(distributed_inputs(), order).spread("lane", 2, 0).fill({}, {4, 2}))
            .view());
  };
  EXPECT_EQ(filled({0, 1}),
            "register: (2,0) (0,1); lane: (1,0); warp:; block: -> dim0: 4, dim1: 2");
  EXPECT_EQ(filled({1, 0}),
            "register: (0,1) (2,0); lane: (1,0); warp:; block: -> dim0: 4, dim1: 2");
}

TEST(Tile, CtasGetPartsOfTheShape) {
  const auto map = Tile(distributed_inputs(), {1, 0})
                       .spread("lane", 2, 1)
                       .fill({{1, 0}, {0, 0}, {0, 1}}, {4, 4});
  EXPECT_EQ(layout::text(*map).view(),
            "register: (1,0); lane: (0,1); warp:; block: (2,0) (0,0) (0,2) -> dim0: 4, dim1: 4");
}

TEST(Tile, CutRegistersAreCopiesOrDropped) {
  const auto map = layout::parse("register: (1) (2); lane: (4) -> dim0: 8").value();
  EXPECT_EQ(layout::text(*cut(map, {2})).view(), "register: (1) (0); lane: (0) -> dim0: 2");
  EXPECT_EQ(layout::text(*cut(map, {2}, Outside::dropped)).view(),
            "register: (1); lane: (0) -> dim0: 2");
}

TEST(Tile, TooManyBitsIsAnError) {
  Tile tile(distributed_inputs(), {0});
  tile.spread("register", std::int64_t{1} << 31, 0).spread("lane", std::int64_t{1} << 31, 0);
  tile.copy("warp", std::int64_t{1} << 31, 0);
  const auto map = tile.fill({}, {16});
  ASSERT_FALSE(map.has_value());
  EXPECT_NE(map.error().find("64"), std::string::npos) << map.error();
}

TEST(Bases, AsPythonPrintsThem) {
  EXPECT_EQ(list_text(Bases{{0, 1}, {2, 0}}), "[[0, 1], [2, 0]]");
  EXPECT_EQ(list_text(Bases{}), "[]");
  EXPECT_EQ(list_text(Numbers{-4, 2}), "[-4, 2]");
  EXPECT_EQ(mangled({{0, 1}, {2, 0}}), "0~1_2~0");
}

TEST(Bases, OrderIsThatInWhichTheyMove) {
  EXPECT_EQ(order_of({{0, 1, 0}, {0, 0, 0}, {1, 0, 0}}, 3), (Numbers{1, 0, 2}));
  EXPECT_EQ(order_of({}, 3), (Numbers{2, 1, 0}));
}

RC_GTEST_PROP(Bases, AMapGivesThemBack, ()) {
  const auto rank = *rc::gen::inRange<std::size_t>(1, 4);
  Bases bases;
  for (int bit = *rc::gen::inRange(0, 8); bit > 0; --bit) {
    Numbers basis;
    for (std::size_t dim = 0; dim < rank; ++dim) basis.push_back(*rc::gen::inRange(0, 16));
    bases.push_back(basis);
  }
  const auto map = map_of({{"register", bases}}, Numbers(rank, 16));
  RC_ASSERT(map.has_value());
  RC_ASSERT(bases_of(*map, "register") == bases);
  RC_ASSERT(shape_of(*map) == Numbers(rank, 16));
}

TEST(Bases, Errors) {
  EXPECT_EQ(map_of({{"lane", {{1, 0}}}}, {2}).error(),
            "the basis [1, 0] of lane has 2 coordinates; the layout has 1 dimensions");
  EXPECT_EQ(map_of({{"lane", {{2}}}}, {2}).error(), "the basis [2] of lane leaves the shape [2]");
  EXPECT_EQ(check_shape({}).error(), "the shape [] has 0 dimensions; a layout has 1 to 8");
  EXPECT_EQ(check_shape({3}).error(),
            "the shape [3] has the size 3; sizes are powers of two up to 2147483648");
  EXPECT_EQ(map_of({{"lane", Bases(65, {0})}}, {2}).error(),
            "lane has 65 bases; a layout has at most 64");
  EXPECT_EQ(map_of({{"lane", Bases(40, {0})}, {"warp", Bases(40, {0})}}, {2}).error(),
            "the layout has more than 64 bases");
  EXPECT_EQ(map_of({{"lane", {{1, 0, 1}}}}, {1 << 30, 1 << 30, 1 << 30}).error(),
            "the shape [1073741824, 1073741824, 1073741824]: the axes of one side have 90 bits "
            "together; a layout has at most 64 on each side");
}

}  // namespace tile_test
}  // namespace heddle::interop::triton
