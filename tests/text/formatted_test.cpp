#include "library/text/formatted.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace heddle {
namespace formatted_test {

// What fmt itself makes of a sentence and its values.
template <class... Values>
std::string witness(std::string_view sentence, const Values&... values) {
  return fmt::vformat(sentence, fmt::make_format_args(values...));
}

#define EXPECT_AS_FMT(sentence, ...) \
  EXPECT_EQ(formatted(sentence, __VA_ARGS__), witness(sentence, __VA_ARGS__))

TEST(Formatted, WritesEveryTypeOfValue) {
  EXPECT_AS_FMT("{} {} {}", std::string("string"), std::string_view("view"), "literal");
  EXPECT_AS_FMT("{} {} {}", true, 'c', static_cast<const char*>("pointer"));
  EXPECT_AS_FMT("{} {} {} {}", static_cast<signed char>(-3), static_cast<unsigned char>(200),
                static_cast<short>(-300), static_cast<unsigned short>(60000));
  EXPECT_AS_FMT("{} {}", std::numeric_limits<std::int64_t>::min(),
                std::numeric_limits<std::uint64_t>::max());
  EXPECT_AS_FMT("{} {} {}", 0.1f, 0.1, 1e300);
}

TEST(Formatted, DoesWhatFieldsAskFor) {
  EXPECT_AS_FMT("{:#x} {:08X} {:b}", 255, 48879u, 5);
  EXPECT_AS_FMT("{:.3g}|{:.1f}|{:>6}|{:<6}|{:04}", 3.14159, 2.25, "right", "left", 7);
  EXPECT_AS_FMT("{1} of {0}, {1:#x}", "sixteen", 16);
  EXPECT_AS_FMT("{{{}}} and {{}}", 1);
  EXPECT_EQ(formatted("a sentence without a value"), "a sentence without a value");
  EXPECT_EQ(formatted(""), "");
  EXPECT_EQ(formatted("{}{}", "", ""), "");
}

// A value that has braces in it is no sentence.
RC_GTEST_PROP(Formatted, AgreesWithFmtOnAllValues,
              (std::int64_t integer, std::uint64_t natural, double real, const std::string& text)) {
  RC_ASSERT(formatted("{}, {:#x}, {} and '{}'", integer, natural, real, text) ==
            witness("{}, {:#x}, {} and '{}'", integer, natural, real, text));
}

}  // namespace formatted_test
}  // namespace heddle
