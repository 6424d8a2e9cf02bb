// Nothing that steers a terminal gets through, whatever the bytes.
#include "runtime/files/printable.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heddle::runtime {
namespace printable_test {

TEST(Printable, EscapesAreThoseOfJson) {
  EXPECT_EQ(printable("a\x1b[2Jb"), "a\\u001b[2Jb");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(printable("line\n\ttab\r"), "line\n\ttab\\u000d");
  EXPECT_EQ(printable("\x7f"), "\\u007f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m")
      << "an escape of one character";
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e") << "from right to left";
  EXPECT_EQ(printable("\xe2\x81\xa6"), "\\u2066");
  EXPECT_EQ(printable_line("a\nb\tc"), "a\\u000ab\\u0009c");
}

TEST(Printable, TextStaysAsItIs) {
  for (const char* text : {"", "kernel.hip:3:5: error: …", "ä €\xf0\x9f\x98\x80", "\xc2\xa0"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, WhatIsNoUtf8IsReplaced) {
  const std::string replaced = "\xef\xbf\xbd";
  EXPECT_EQ(printable("a\x9b"), "a" + replaced) << "a raw escape of one byte";
  EXPECT_EQ(printable("\xc0\x9b"), replaced + replaced) << "an escape in too many bytes";
  EXPECT_EQ(printable("\xed\xa0\x80"), replaced + replaced + replaced) << "a surrogate";
  EXPECT_EQ(printable("\xe2\x80"), replaced + replaced) << "cut short";
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), replaced + replaced + replaced + replaced);
}

TEST(Printable, ColoursOfTablesStay) {
  EXPECT_EQ(printable_coloured("\x1b[38;5;16;48;5;7m0\x1b[0m"), "\x1b[38;5;16;48;5;7m0\x1b[0m");
  EXPECT_EQ(printable_coloured("\x1b[2J\x1b]0;title\x07"), "\\u001b[2J\\u001b]0;title\\u0007");
  EXPECT_EQ(printable_coloured("\x1b["), "\\u001b[");
}

RC_GTEST_PROP(Printable, NothingSteersAfterwards, (const std::string& bytes)) {
  const std::string shown = printable_line(bytes);
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    RC_ASSERT(byte >= 0x20);
    RC_ASSERT(byte != 0x7f);
  }
  RC_ASSERT(shown.find("\xc2\x9b") == std::string::npos);
  RC_ASSERT(printable_line(shown) == shown);
}

}  // namespace printable_test
}  // namespace heddle::runtime
