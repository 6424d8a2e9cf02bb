#include "answers/text/marked_text.h"

#include <algorithm>
#include <charconv>
#include <optional>
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
    // Two thirds of the visible part are the text before the mark: what stands there explains the
    // error.
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

namespace {

/// Reads ":NUMBER" at the beginning of `words` and removes it. Null if `words` begins in another
/// way.
std::optional<std::size_t> take_number(std::string_view& words) {
  std::size_t number = 0;
  if (!words.starts_with(':')) return std::nullopt;
  const auto [end, error] = std::from_chars(words.data() + 1, words.data() + words.size(), number);
  if (error != std::errc()) return std::nullopt;
  words.remove_prefix(static_cast<std::size_t>(end - words.data()));
  return number;
}

/// Line `number` of a text, counted from 1; null if the text has fewer lines.
std::optional<std::string_view> line_of(std::string_view text, std::size_t number) {
  for (; number > 1; --number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::string with_marks(std::string_view messages, std::string_view file, std::string_view text) {
  std::string all;
  while (!messages.empty()) {
    const std::string_view message = messages.substr(0, messages.find('\n'));
    messages.remove_prefix(std::min(messages.size(), message.size() + 1));
    all += std::string(message) + "\n";
    if (!message.starts_with(file)) continue;
    std::string_view rest = message.substr(file.size());
    const auto line = take_number(rest), column = take_number(rest);
    if (!line || !column || !rest.starts_with(": error: ")) continue;
    const auto shown = line_of(text, *line);
    if (shown && !shown->empty()) all += marked_text(*shown, *column);
  }
  return all;
}

}  // namespace heddle::answers
