#include "answers/text/marked_text.h"

#include <algorithm>
#include <vector>

namespace heddle::answers {
namespace {

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f; }

/// The characters of UTF-8 text as they are shown, one column each.
std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> result;
  for (const char byte : text) {
    if (continues_character(byte) && !result.empty())
      result.back() += byte;
    else
      result.emplace_back(1, is_control(byte) ? ' ' : byte);
  }
  return result;
}

}  // namespace

std::string marked_text(std::string_view text, std::size_t column, std::size_t width) {
  std::size_t byte = std::min(std::max<std::size_t>(column, 1) - 1, text.size());
  // Only the visible part of a long line is split into characters, each of at most 4 bytes.
  const std::size_t reach = 8 * width;
  if (byte > reach) {
    std::size_t begin = byte - reach;
    while (begin > 0 && continues_character(text[begin])) --begin;
    text.remove_prefix(begin);
    byte -= begin;
  }
  text = text.substr(0, byte + reach);
  std::vector<std::string> shown = characters(text);
  std::size_t mark = characters(text.substr(0, byte)).size();
  std::size_t first = 0;
  std::size_t end = shown.size();
  if (shown.size() > width) {
    // Two thirds of the visible part lie before the mark, because they explain the error.
    const std::size_t before = width * 2 / 3;
    first = std::min(mark > before ? mark - before : 0, shown.size() - width);
    end = first + width;
    if (first > 0) shown[first] = "…";
    if (end < shown.size()) shown[end - 1] = "…";
  }
  std::string line = "  ";
  for (std::size_t i = first; i < end; ++i) line += shown[i];
  return line + "\n  " + std::string(mark - first, ' ') + "^\n";
}

}  // namespace heddle::answers
