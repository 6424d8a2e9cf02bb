#include "runtime/files/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace heddle::runtime {
namespace {

/// A character of UTF-8: its code, and its number of bytes. 0 bytes: the text does not begin with a
/// valid character.
struct Character {
  char32_t code;
  std::size_t bytes;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {0, 0};
  char32_t code = lead & (0x7f >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {0, 0};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[bytes] || is_surrogate || code > 0x10ffff) return {0, 0};
  return {code, bytes};
}

bool steers(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x61c || code == 0x200e ||
         code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

void append_escape(std::string& result, char32_t code) {
  constexpr std::string_view digits = "0123456789abcdef";
  result += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) result += digits[code >> shift & 15];
}

/// The number of bytes of the colour sequence at the beginning of the text: an escape and
/// "[38;5;16m". 0 if there is none.
std::size_t colour_bytes(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

std::string escaped(std::string_view text, std::string_view kept, bool keeps_colours) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    std::size_t taken = keeps_colours ? colour_bytes(text) : 0;
    if (taken > 0) {
      result += text.substr(0, taken);
      text.remove_prefix(taken);
      continue;
    }
    const Character next = first_character(text);
    taken = std::max<std::size_t>(next.bytes, 1);
    if (next.bytes == 0)
      result += "\xef\xbf\xbd";  // U+FFFD
    else if (steers(next.code) && kept.find(text[0]) == std::string_view::npos)
      append_escape(result, next.code);
    else
      result += text.substr(0, taken);
    text.remove_prefix(taken);
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, "\n\t", false); }
std::string printable_line(std::string_view text) { return escaped(text, "", false); }
std::string printable_coloured(std::string_view text) { return escaped(text, "\n\t", true); }

}  // namespace heddle::runtime
