// The native text: read back what was written, and say where a text goes wrong.
#include "heddle/interop/native.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace heddle::interop {
namespace native_test {

using layout::LinearLayout;
using memory::SharedLayout;

LinearLayout random_map(const layout::AxisName& input) {
  const int bits = *rc::gen::inRange(0, 7);
  LinearLayout::Bases bases{};
  for (int bit = 0; bit < bits; ++bit)
    bases[static_cast<std::size_t>(bit)] = *rc::gen::inRange<std::uint64_t>(0, 128);
  return LinearLayout::from_words({{input, bits}}, {{"dim0", 3}, {"dim1", 4}}, bases).value();
}

RC_GTEST_PROP(Native, ReadsBackADistributedLayout, ()) {
  const LinearLayout map = random_map("register");
  const auto read = read_native(write_native(map));
  RC_ASSERT(read.has_value());
  RC_ASSERT(std::get<LinearLayout>(*read) == map);
}

RC_GTEST_PROP(Native, ReadsBackASharedLayout, ()) {
  SharedLayout shared{random_map("offset"), {}};
  std::uint64_t interval = 1;
  for (int count = *rc::gen::inRange(0, 5); count > 0; --count) {
    interval <<= *rc::gen::inRange(1, 5);
    shared.padding.push_back({interval, *rc::gen::inRange<std::uint64_t>(0, 100)});
  }
  const auto read = read_native(write_native(shared));
  RC_ASSERT(read.has_value());
  RC_ASSERT(std::get<SharedLayout>(*read) == shared);
}

TEST(Native, ErrorsNameTheColumn) {
  const auto error = [](std::string_view text) {
    const auto read = read_native(text);
    EXPECT_FALSE(read.has_value()) << text;
    return read.has_value() ? TextError{} : read.error();
  };
  EXPECT_EQ(error("offset: (1) (2) -> x: 4 padding 3:+2"),
            (TextError{33, "the interval 3 is not a power of two"}));
  EXPECT_EQ(error("offset: (1) (2) -> x: 4 padding 2:+2 2:+1"),
            (TextError{38, "the interval 2 is there twice; add the two amounts"}));
  EXPECT_EQ(error("offset: (1) (2) -> x: 4 padding 2+2"),
            (TextError{34, "expected ':+' between interval and amount, found '+'"}));
  EXPECT_EQ(error("offset: (1) (2) -> x: 4 padding 2:+"),
            (TextError{36, "expected an amount, as the 2 of 4:+2, found the end of the text"}));
  EXPECT_EQ(error("offset: (1) (2) -> x: 4 padding "),
            (TextError{33, "expected an interval, as the 4 of 4:+2, found the end of the text"}));
  EXPECT_EQ(error("offset: (1) (2) -> x: 4 padding 4294967296:+1"),
            (TextError{33, "a number here is at most 4294967295"}));
  EXPECT_EQ(error("offset: -> x: 4 padding 1:+1 2:+1 4:+1 8:+1 16:+1 32:+1 64:+1 128:+1 256:+1"),
            (TextError{70, "a layout has at most 8 paddings"}));
  EXPECT_EQ(error("lane: (1) (2) -> x: 4 padding 2:+2"),
            (TextError{23,
                       "padding belongs to a layout of shared memory, whose first input axis "
                       "is 'offset'"}));
  EXPECT_EQ(error("lane: (1) [2) -> x: 4"),
            (TextError{11,
                       "expected '(' to begin a basis of axis 'lane', ';' and the next input "
                       "axis, or '->' and the output axes, found '['"}));
  EXPECT_EQ(error("lane (1)"),
            (TextError{9, "expected '->' and the output axes, as in 'lane: (1) (2) -> m: 4'"}));
}

TEST(Native, KnowsHowItBegins) {
  for (const char* text : {"lane: (1) -> m: 2", " lane:;", "element:", "warp : -> m: 1",
                           "lane (0,1) -> m: 1, n: 2", "lane: (0,1); warp: (1,0)"})
    EXPECT_TRUE(is_native_text(text)) << text;
  for (const char* text : {"", "foo", "foo: bar", "cute::Layout<_8>", "zipped_divid(8:1, 4:1)",
                           "!fly.memref<f16, (8,16):(1,8)>", "f(lane: (1) -> m: 2)"})
    EXPECT_FALSE(is_native_text(text)) << text;
}

}  // namespace native_test
}  // namespace heddle::interop
