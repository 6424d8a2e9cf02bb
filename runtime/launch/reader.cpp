#include "runtime/launch/reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "heddle/instruction/nearest.h"

namespace heddle::runtime {

std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names,
                         std::string_view all) {
  constexpr std::size_t most_edits = 2;
  instruction::NearestNames nearest(wanted);
  for (const std::string_view name : names)
    if (std::max(name.size(), wanted.size()) - std::min(name.size(), wanted.size()) <= most_edits)
      nearest.consider(name);
  const std::string_view guess = nearest.names()[0];
  const auto shorter = std::min(wanted.size(), guess.size());
  const bool close =
      !guess.empty() && wanted.size() <= instruction::longest_compared_name &&
      instruction::edit_distance(wanted, guess) <= (shorter > 3 ? static_cast<int>(most_edits) : 1);
  std::string text = close ? "; did you mean " + std::string(guess) + "?" : "";
  if (!all.empty()) text += (close ? " " : "; ") + std::string(all);
  return text;
}

bool LineReader::next_is_number() {
  const std::string_view text = rest();
  const std::size_t digit = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::size_t behind_point = text.substr(digit).starts_with('.') ? digit + 1 : digit;
  return behind_point < text.size() && text[behind_point] >= '0' && text[behind_point] <= '9';
}

void LineReader::expect_end(const std::string& what) {
  if (!failed() && !at_end()) fail("expected the end of the line after " + what);
}

bool LineReader::take_word(std::string_view wanted) {
  LineReader ahead = *this;
  if (failed() || ahead.word() != wanted) return false;
  *this = ahead;
  return true;
}

std::string LineReader::name(const std::string& what) {
  const TextPlace begin = place();
  const std::string found(word());
  if (!failed() && found.empty()) fail("expected " + what);
  if (found.size() > 128) fail_at(begin, what + " has at most 128 characters");
  return found;
}

std::string LineReader::file_name(const std::string& what) {
  const std::string_view text = rest();
  const bool quoted = text.starts_with('"');
  const std::size_t end = quoted ? text.find('"', 1) : text.find_first_of(" \t\r");
  if (text.empty() || (quoted && end == std::string_view::npos)) {
    fail(quoted ? "expected a closing \"" : "expected " + what);
    return {};
  }
  const std::string_view taken = text.substr(0, quoted ? end + 1 : end);
  take(taken);
  return std::string(quoted ? taken.substr(1, taken.size() - 2) : taken);
}

WrittenNumber LineReader::number(const std::string& what) {
  WrittenNumber number;
  if (failed()) return number;
  if (!next_is_number()) {
    fail("expected " + what);
    return number;
  }
  const TextPlace begin = place();
  if (peek() == '+') take("+");
  const std::string_view text = rest();
  const char* end = text.data() + text.size();
  const auto as_float = std::from_chars(text.data(), end, number.value);
  const auto as_integer = std::from_chars(text.data(), end, number.integer);
  number.is_integer = as_integer.ec == std::errc() && as_integer.ptr == as_float.ptr;
  std::uint64_t large = 0;
  const auto as_large = std::from_chars(text.data(), end, large);
  const bool is_large = as_large.ec == std::errc() && as_large.ptr == as_float.ptr;
  if (!number.is_integer) number.integer = is_large ? static_cast<std::int64_t>(large) : 0;
  if (as_float.ec != std::errc() || !std::isfinite(number.value)) {
    fail_at(begin, what + " is too large or too small for float64");
    return number;
  }
  take(text.substr(0, static_cast<std::size_t>(as_float.ptr - text.data())));
  return number;
}

}  // namespace heddle::runtime
