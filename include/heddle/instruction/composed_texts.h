// Texts that are put together at compile time and stay: the names of tables whose instructions
// differ in a few words.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace heddle::instruction {

/// `count` texts of at most `longest` characters; those of an object with static storage last for
/// the whole program. Longer or more texts than that are an error of the compiler.
///
///   constexpr auto names = [] {
///     ComposedTexts<2> texts;
///     for (int k : {8, 16}) {
///       texts.append("k");
///       texts.append_number(k);
///       texts.end();
///     }
///     return texts;
///   }();                                 names[1] is "k16"
template <std::size_t count, std::size_t longest = 64>
class ComposedTexts {
 public:
  constexpr void append(std::string_view text) {
    for (const char c : text) characters_[number_][sizes_[number_]++] = c;
  }
  constexpr void append_number(int value) {
    if (value >= 10) append_number(value / 10);
    const char digit = static_cast<char>('0' + value % 10);
    append({&digit, 1});
  }
  /// Ends a text; the next `append` begins another.
  constexpr void end() { ++number_; }

  constexpr std::string_view operator[](std::size_t number) const {
    return {characters_[number].data(), sizes_[number]};
  }

 private:
  std::array<std::array<char, longest>, count> characters_{};
  std::array<std::size_t, count> sizes_{};
  std::size_t number_ = 0;
};

}  // namespace heddle::instruction
