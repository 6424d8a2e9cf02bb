// CuTe's layouts as layouts of shared memory, element by element.
#include "heddle/interop/cute/shared.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heddle/interop/cute/text.h"

namespace heddle::interop::cute {
namespace shared_test {

memory::SharedLayout shared_of(const char* text) { return to_shared(read(text).value()).value(); }

// Every pitch of rows that is at least their length is a padding.
RC_GTEST_PROP(CuteShared, PlacesAreTheLayoutsOffsets, ()) {
  const int row_bits = *rc::gen::inRange(0, 5);
  const int column_bits = *rc::gen::inRange(0, 5);
  const Number columns = Number{1} << column_bits;
  const Number pitch = columns + *rc::gen::inRange<Number>(0, 40);
  const Layout layout =
      make_layout({Layout(Mode{Number{1} << row_bits, pitch}), Layout(Mode{columns, 1})});
  const auto shared = to_shared(layout);
  RC_ASSERT(shared.has_value());
  const auto to_offset = layout::invert(shared->map).value();
  for (Number index = 0; index < size(layout); ++index) {
    const auto element = static_cast<std::uint64_t>(index);  // dim0 fastest, as CuTe counts
    RC_ASSERT(shared->place(to_offset.apply(element)) ==
              static_cast<std::uint64_t>(evaluate(layout, index)));
  }
  const auto back = from_shared(*shared);
  RC_ASSERT(back.has_value());
  for (Number index = 0; index < size(layout); ++index)
    RC_ASSERT(evaluate(std::get<Layout>(*back), index) == evaluate(layout, index));
}

TEST(CuteShared, ReadsSwizzlesAndPaddings) {
  EXPECT_TRUE(shared_of("Sw<3,3,3> o 0 o (8,64):(64,1)").padding.empty());
  EXPECT_EQ(shared_of("(16,16):(24,1)").padding, (memory::PaddingList{{16, 8}}));
  EXPECT_EQ(shared_of("(16,16):(24,1)").size(), 15u * 24 + 16);
}

TEST(CuteShared, SaysWhatIsNoTileInSharedMemory) {
  const auto why = [](const char* text) { return to_shared(read(text).value()).error(); };
  EXPECT_EQ(why("(3,4):(4,1)"), "the size 3 is no power of two");
  EXPECT_EQ(why("(4,4):(2,1)"), "the stride 2 steps into elements that smaller strides reach");
  EXPECT_EQ(why("(4,4):(0,1)"), "the stride 0 puts several elements in one place");
  EXPECT_EQ(why("(4,4):(-4,1)"), "the stride -4 leads below offset 0");
}

}  // namespace shared_test
}  // namespace heddle::interop::cute
