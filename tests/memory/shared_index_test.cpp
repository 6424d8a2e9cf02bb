// Index arithmetic of tiles against the layouts that it is made of, on every element.
#include "heddle/memory/shared_index.h"

#include <gtest/gtest.h>

#include "heddle/layout/text.h"

namespace heddle::memory {
namespace shared_index_test {

constexpr SharedLayout make(std::string_view map, PaddingList padding = {}) {
  return {layout::parse(map).value(), padding};
}

inline constexpr SharedLayout plain =
    make("offset: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0) -> row: 16, column: 16");
inline constexpr SharedLayout padded = make(
    "offset: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0) -> row: 16, column: 16", {{16, 8}});
inline constexpr SharedLayout padded_twice =
    make("offset: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0) -> row: 16, column: 16",
         {{4, 2}, {64, 8}});
// Groups of four columns at g ^ (row & 3), and padding besides.
inline constexpr SharedLayout swizzled = make(
    "offset: (0,1) (0,2) (0,4) (0,8) (1,4) (2,8) (4,0) (8,0) -> row: 16, column: 16", {{32, 4}});
inline constexpr SharedLayout column_major = make(
    "offset: (1,0) (2,0) (4,0) (8,0) (0,1) (0,2) (0,4) (0,8) -> row: 16, column: 16", {{16, 2}});
inline constexpr SharedLayout mixed =
    make("offset: (0,1) (1,1) (0,2) (2,2) (1,4) (4,4) (2,8) (8,8) -> row: 16, column: 16");

// Law: place_index(x) == shared.place(inverse(map)(x)) for every element x of the tile.
template <const SharedLayout& shared>
void check_every_element() {
  const layout::LinearLayout inverse = layout::invert(shared.map).value();
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 16; ++column) {
      const auto offset = inverse.apply({{"row", row}, {"column", column}}).value().at("offset");
      EXPECT_EQ(place_index<shared>(row, column), shared.place(offset)) << row << ", " << column;
    }
}

TEST(PlaceIndex, IsThePlaceOfEveryElement) {
  check_every_element<plain>();
  check_every_element<padded>();
  check_every_element<padded_twice>();
  check_every_element<swizzled>();
  check_every_element<column_major>();
  check_every_element<mixed>();
}

// What one would write by hand, also beyond the rows that the map has.
static_assert(place_index<padded>(5u, 3u) == 5 * 24 + 3);
static_assert(place_index<padded>(100u, 3u) == 100 * 24 + 3);
static_assert(fields_of_shared<padded>.count == 2);
static_assert(fields_of_shared<padded>.field[1].weight == 24);
static_assert(fields_of_shared<plain>.count == 2);

}  // namespace shared_index_test
}  // namespace heddle::memory
