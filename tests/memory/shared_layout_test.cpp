// SharedLayout against the definition of padding: write every element and every gap in turn.
#include "heddle/memory/shared_layout.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "heddle/layout/text.h"

namespace heddle::memory {
namespace shared_layout_test {

// The example of Gluon's documentation of PaddedSharedLayout: [[2, 1], [4, 2]] over eight elements
// gives e0 e1 p0 e2 e3 p1 p2 p3 e4 e5 p4 e6 e7 p5 p6 p7; the trailing gaps take no room.
constexpr SharedLayout example{layout::parse("offset: (1) (2) (4) -> dim0: 8").value(),
                               {{2, 1}, {4, 2}}};
static_assert(example.place(1) == 1 && example.place(2) == 3 && example.place(4) == 8);
static_assert(example.place(6) == 11 && example.size() == 13);
static_assert(bytes(example, 16) == 26 && bytes(example, 4) == 7);

SharedLayout random_layout(std::uint64_t& elements) {
  const int bits = *rc::gen::inRange(0, 11);
  elements = std::uint64_t{1} << bits;
  SharedLayout shared{layout::LinearLayout::identity(elements, "offset", "dim0").value(), {}};
  for (int count = *rc::gen::inRange(0, 4); count > 0; --count)
    shared.padding.push_back(
        {std::uint64_t{1} << *rc::gen::inRange(0, 12), *rc::gen::inRange<std::uint64_t>(0, 20)});
  return shared;
}

RC_GTEST_PROP(SharedLayout, PlacesAreThoseOfWritingElementsAndGapsInTurn, ()) {
  std::uint64_t elements = 0;
  const SharedLayout shared = random_layout(elements);
  std::uint64_t written = 0;
  for (std::uint64_t offset = 0; offset < elements; ++offset) {
    for (const Padding& pad : shared.padding)
      if (offset > 0 && offset % pad.interval == 0) written += pad.amount;
    RC_ASSERT(shared.place(offset) == written);
    ++written;
  }
  RC_ASSERT(shared.size() == written);
}

RC_GTEST_PROP(SharedLayout, PlaceOfDisjointOffsetsIsTheSum, ()) {
  std::uint64_t elements = 0;
  const SharedLayout shared = random_layout(elements);
  const auto x = *rc::gen::inRange<std::uint64_t>(0, elements);
  const auto y = *rc::gen::inRange<std::uint64_t>(0, elements) & ~x;
  RC_ASSERT(shared.place(x ^ y) == shared.place(x) + shared.place(y));
}

TEST(SharedLayout, EqualWhenMapAndPaddingAre) {
  SharedLayout other = example;
  EXPECT_EQ(other, example);
  other.padding = {{2, 1}};
  EXPECT_FALSE(other == example);
}

}  // namespace shared_layout_test
}  // namespace heddle::memory
