#include "heddle/interop/text_scanner.h"

#include <gtest/gtest.h>

namespace heddle::interop {
namespace text_scanner_test {

TEST(TextScanner, TakesWordsNumbersAndSigns) {
  TextScanner in(" lane_2 =\t[ 12,-3 ]");
  EXPECT_EQ(in.word(), "lane_2");
  EXPECT_EQ(in.word(), "");
  EXPECT_TRUE(in.take("="));
  EXPECT_FALSE(in.take("("));
  in.expect("[");
  EXPECT_EQ(in.number("a size", 1, 100), 12);
  in.expect(",");
  EXPECT_EQ(in.number("a stride", -5, 5), -3);
  EXPECT_EQ(in.peek(), ']');
  EXPECT_TRUE(in.take("]"));
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(in.peek(), '\0');
  in.expect_end();
  EXPECT_FALSE(in.failed());
}

TEST(TextScanner, GivesBackWhatWasTaken) {
  TextScanner in("  ab + 12  )");
  const std::size_t begin = in.place();
  in.word();
  in.expect("+");
  in.number("a number", 0, 99);
  EXPECT_EQ(in.peek(), ')');
  EXPECT_EQ(in.taken_since(begin), "ab + 12");
}

TEST(TextScanner, TheFirstErrorStays) {
  TextScanner in("ab 7");
  in.expect("=", " behind the name");
  in.fail("expected anything else");
  ASSERT_TRUE(in.error());
  EXPECT_EQ(*in.error(), (TextError{1, "expected '=' behind the name, found 'a'"}));
  EXPECT_FALSE(in.take("ab"));
  EXPECT_FALSE(in.next_is("ab"));
  EXPECT_EQ(in.peek(), '\0');
  EXPECT_EQ(in.word(), "");
  EXPECT_EQ(in.number("a size", 0, 9), 0);
}

TEST(TextScanner, NumbersOutsideTheirRangeAreRefusedWhereTheyBegin) {
  for (const char* text : {"  0", "  101", "  99999999999999999999999999"}) {
    TextScanner in(text);
    in.number("a size", 1, 100);
    ASSERT_TRUE(in.error()) << text;
    EXPECT_EQ(*in.error(), (TextError{3, "a size is from 1 to 100"}));
  }
  TextScanner none("x");
  none.number("a size", 1, 100);
  EXPECT_EQ(*none.error(), (TextError{1, "expected a size, found 'x'"}));
  TextScanner end("");
  end.number("a size", 1, 100);
  EXPECT_EQ(*end.error(), (TextError{1, "expected a size, found the end of the text"}));
}

}  // namespace text_scanner_test
}  // namespace heddle::interop
