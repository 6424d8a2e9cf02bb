#include "heddle/instruction/generated_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace heddle::instruction {
namespace generated_text_test {

template <std::size_t capacity>
constexpr GeneratedText<capacity> shape(int m, int n) {
  GeneratedText<capacity> text;
  text.append("m");
  text.append_number(m);
  text.append("n");
  text.append_number(n);
  return text;
}

// Counting first gives the room that writing needs.
constexpr auto counted = shape<0>(16, 256);
constexpr auto written = shape<counted.size>(16, 256);
static_assert(std::string_view(written.characters, written.size) == "m16n256");

RC_GTEST_PROP(GeneratedText, NumbersAreDecimal, ()) {
  const int number = *rc::gen::inRange(0, 2000000000);
  GeneratedText<16> text;
  text.append_number(number);
  RC_ASSERT(std::string(text.characters, text.size) == std::to_string(number));
}

}  // namespace generated_text_test
}  // namespace heddle::instruction
