// Texts that are made at compile time: the names of rows that differ only in types and sizes.
//
// Names are made twice: first with capacity 0, to measure their length; then into one array of that
// length, into which the rows' string_views point. So no maximum length has to be chosen, and a
// program allocates nothing.
#pragma once

#include <cstddef>
#include <string_view>

namespace heddle::instruction {

/// A text of up to `capacity` characters. Appending more does not compile in a constant expression.
/// With capacity 0, characters are only counted in `size`; this number is the capacity with which
/// the text is made the second time.
template <std::size_t capacity>
struct GeneratedText {
  char characters[capacity + 1]{};
  std::size_t size = 0;

  constexpr void append(std::string_view text) {
    if constexpr (capacity > 0) {
      char* to = characters + size;
      for (const char c : text) *to++ = c;
    }
    size += text.size();
  }
  /// Appends a number that is not negative, in decimal.
  constexpr void append_number(int number) {
    if (number >= 10) append_number(number / 10);
    const char digit = static_cast<char>('0' + number % 10);
    append({&digit, 1});
  }
};

}  // namespace heddle::instruction
