// Sentences of errors.
#include "heddle/layout/error.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::layout {
namespace error_test {

constexpr int code_count = static_cast<int>(ErrorCode::count_of_codes);

// The longest particulars that an error can carry.
Error longest(ErrorCode code) {
  return {code, "fifteen_letters", "fifteen_letters", {~0ull, ~0ull, ~0ull}};
}

TEST(Error, every_sentence_fits_and_fills_all_its_fields) {
  for (int code = 0; code < code_count; ++code) {
    const Text text = longest(ErrorCode(code)).message();
    EXPECT_LT(text.size(), 320u) << text.view();
    EXPECT_EQ(text.view().find_first_of("{}"), std::string_view::npos) << text.view();
  }
}

TEST(Error, every_code_has_its_own_sentence) {
  for (int a = 0; a < code_count; ++a) {
    for (int b = a + 1; b < code_count; ++b) EXPECT_NE(error_sentences[a], error_sentences[b]);
  }
}

TEST(Error, prints_numbers_sizes_and_characters) {
  FixedText<64> text;
  text.append_number(0);
  text.append(' ');
  text.append_number(~std::uint64_t{0});
  text.append(' ');
  text.append_size(31);
  text.append(' ');
  text.append_size(64);
  EXPECT_EQ(text.view(), "0 18446744073709551615 2147483648 2^64");
  const Error found = {ErrorCode::text_needs_colon, "lane", {}, {7, 0, '('}};
  EXPECT_EQ(found.message().view(), "column 7: expected ':' after axis 'lane', found '('");
  const Error beyond_ascii = {ErrorCode::text_needs_colon, "lane", {}, {7, 0, 0xc3}};
  EXPECT_EQ(beyond_ascii.message().view(),
            "column 7: expected ':' after axis 'lane', found byte 195");
  const Error zero = {ErrorCode::text_needs_colon, "lane", {}, {7, 0, 0}};
  EXPECT_EQ(zero.message().view(), "column 7: expected ':' after axis 'lane', found byte 0");
  const Error at_end = {ErrorCode::text_needs_colon, "lane", {}, {7, 0, end_of_text}};
  EXPECT_EQ(at_end.message().view(),
            "column 7: expected ':' after axis 'lane', found the end of the text");
}

TEST(FixedText, cuts_off_what_does_not_fit_and_stays_terminated) {
  FixedText<4> text;
  text.append("abcdef");
  EXPECT_EQ(text.view(), "abcd");
  EXPECT_EQ(std::string(text.data()), "abcd");
}

}  // namespace error_test
}  // namespace heddle::layout
