// Text made at compile time: the names of rows that differ only in types and sizes.
//
// Names are made in two runs: the first, with capacity 0, measures; the second writes into one
// array of that size, and the rows hold views of it. So nobody has to guess the length of hundreds
// of names, and a program allocates nothing.
#pragma once

#include <cstddef>
#include <string_view>

namespace heddle::instruction {

/// Up to `capacity` characters; appending more does not compile in a constant expression. With
/// capacity 0 nothing is kept and only `size` counts, which gives the capacity of a second run.
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
