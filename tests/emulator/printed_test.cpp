// printf's formats, against the C library's.
#include "emulator/record/printed.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdio>
#include <vector>

namespace heddle::emulator {
namespace printed_test {

std::string printed(std::string_view format, std::vector<uint64_t> words,
                    const std::string& text = "text") {
  std::size_t next = 0;
  return printf_text(format,
                     {.number = [&](unsigned) { return next < words.size() ? words[next++] : 0; },
                      .text = [&] { return text; }});
}

template <class... Values>
std::string expected(const char* format, Values... values) {
  std::array<char, 4096> buffer;
  std::snprintf(buffer.data(), buffer.size(), format, values...);
  return buffer.data();
}

TEST(PrintedFormats, IntegersAreThoseOfTheCLibrary) {
  for (const char* flags : {"", "-", "+", " ", "0", "#", "-+", "+0", " 0", "#0", "-#"})
    for (const char* size : {"", "1", "7", "12", ".0", ".3", "9.4", "012"})
      for (const char letter : {'d', 'i', 'u', 'o', 'x', 'X'})
        for (const char* length : {"", "h", "hh", "l", "ll", "z", "j", "t"})
          for (const int64_t value : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{40000},
                                      int64_t{-5'000'000'000}, int64_t{0x7fffffffffffffff}}) {
            const std::string format = "%" + std::string(flags) + size + length + letter;
            EXPECT_EQ(printed(format, {static_cast<uint64_t>(value)}),
                      expected(format.c_str(), value))
                << format;
          }
}

TEST(PrintedFormats, FloatsAreThoseOfTheCLibrary) {
  for (const char* flags : {"", "-", "+", " ", "0", "#"})
    for (const char* size : {"", "9", ".0", ".3", "20.10"})
      for (const char letter : {'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A'})
        for (const double value :
             {0.0, -0.0, 1.5, -123456.789, 1e300, 5e-324, __builtin_inf(), __builtin_nan("")}) {
          const std::string format = "%" + std::string(flags) + size + letter;
          EXPECT_EQ(printed(format, {std::bit_cast<uint64_t>(value)}),
                    expected(format.c_str(), value))
              << format;
        }
}

TEST(PrintedFormats, TextsAndLetters) {
  for (const char* format : {"%s", "%8s", "%-8s|", "%.2s", "%6.1s", "%.0s", "%2s"})
    EXPECT_EQ(printed(format, {}), expected(format, "text")) << format;
  EXPECT_EQ(printed("%c%3c%-3c|", {'a', 'b', 'c'}), "a  bc  |");
  EXPECT_EQ(printed("%p", {0x1234}), expected("%p", reinterpret_cast<void*>(0x1234)));
  EXPECT_EQ(printed("%*d|%-*d|%*d", {5, 1, 5, 2, static_cast<uint64_t>(-5), 3}),
            expected("%*d|%-*d|%*d", 5, 1, 5, 2, -5, 3));
  EXPECT_EQ(printed("%.*f|%.*f", {2, std::bit_cast<uint64_t>(1.5), static_cast<uint64_t>(-2),
                                  std::bit_cast<uint64_t>(1.5)}),
            expected("%.*f|%.*f", 2, 1.5, -2, 1.5));
}

TEST(PrintedFormats, WhatIsNoFormatIsText) {
  EXPECT_EQ(printed("100%% of %", {}), "100% of %");
  EXPECT_EQ(printed("%y %-5", {}), "%y %");
  EXPECT_EQ(printed("a%nb", {0}), "ab");
  EXPECT_EQ(printed("%99999999999999999999d", {1}).size(), 1000u);
  EXPECT_EQ(printed("%.99999999999999999999f", {std::bit_cast<uint64_t>(1e308)}).size(), 1310u);
  EXPECT_EQ(printed("%*d", {0x80000000u, 1}).size(), 1000u);
  EXPECT_EQ(printed(std::string("%") + std::string(5000, '-') + std::string(5000, 'l') + "d", {7}),
            "7");
  EXPECT_EQ(printed("%hhhhlld", {3}), "3");
}

TEST(PrintedText, IsInTheOrderOfWorkgroupsAndCut) {
  PrintedText text;
  text.add(2, "c");
  text.add(0, "a");
  text.add(2, "d");
  text.add(1, "b");
  EXPECT_EQ(text.text(), "abcd");
  text.clear();
  text.add(0, std::string(PrintedText::most_bytes + 1, 'x'));
  EXPECT_EQ(text.text().size(), PrintedText::most_bytes + printed_was_cut.size());
  text.clear();
  text.add(0, "x");
  text.close();
  text.add(0, "y");
  EXPECT_EQ(text.text(), "x");
}

TEST(PrintedText, QuotesOneLine) {
  EXPECT_EQ(quoted_text("a\x1b[2Jb\nc\n\n"), "a [2Jb c");
  EXPECT_EQ(quoted_text(std::string(600, 'x')).size(), 500 + std::string(" …").size());
}

}  // namespace printed_test
}  // namespace heddle::emulator
