#include "tools/heddle/commands/option_values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

#include "heddle/instruction/nearest.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::tool {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

/// Reads a text that is nothing but a number, in decimal or as 0x10. Nothing for other text, and
/// for numbers of more than 64 bits.
std::optional<std::uint64_t> digits(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal) text.remove_prefix(2);
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number, is_hexadecimal ? 16 : 10);
  if (error != std::errc() || read != end) return std::nullopt;
  return number;
}

/// Reads a number from `least` to `most` and returns it in decimal digits. Nothing if the text is
/// no such number.
std::optional<std::string> number_between(std::string_view text, std::int64_t least,
                                          std::uint64_t most) {
  const bool is_negative = text.starts_with('-');
  const auto number = digits(text.substr(is_negative ? 1 : 0));
  if (!number) return std::nullopt;
  if (is_negative) {
    // Numbers below -(2^63 - 1) are refused: the negation could not be computed, and no option
    // needs them.
    if (*number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return std::nullopt;
    const std::int64_t value = -static_cast<std::int64_t>(*number);
    if (value < least || (value >= 0 && static_cast<std::uint64_t>(value) > most))
      return std::nullopt;
    return formatted("{}", value);
  }
  if (*number > most || (least > 0 && *number < static_cast<std::uint64_t>(least)))
    return std::nullopt;
  return formatted("{}", *number);
}

}  // namespace

/// True if exchanging two adjacent letters of `name` gives `word`.
static bool is_exchanged(std::string_view word, std::string_view name) {
  if (word.size() != name.size() || word == name) return false;
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(word, name).in1 - word.begin());
  return at + 1 < word.size() && word[at] == name[at + 1] && word[at + 1] == name[at] &&
         word.substr(at + 2) == name.substr(at + 2);
}

std::string_view near_name(std::string_view word, const std::vector<std::string>& names) {
  const std::size_t length = without_dashes(word).size();
  if (length < 2 || digits(word)) return "";
  // Edit distance counts two exchanged letters as two slips. As one slip, they are tried first.
  for (const std::string& name : names)
    if (is_exchanged(word, name)) return name;
  instruction::NearestNames nearest(word);
  for (const std::string& name : names) nearest.consider(name);
  const std::string_view guess = nearest.names()[0];
  const auto most_slips = std::max<std::size_t>(1, length / 2);
  return instruction::edit_distance(word, guess) <= static_cast<int>(most_slips) ? guess : "";
}

CLI::Validator one_of(std::vector<std::string> values) {
  std::string description = formatted("{{{}}}", joined(values, ","));
  return CLI::Validator(
      [values = std::move(values)](std::string& text) -> std::string {
        for (const std::string& value : values) {
          if (lower(value) != lower(text)) continue;
          text = value;
          return "";
        }
        const std::string_view guess = near_name(lower(text), values);
        return formatted("no '{}'; {}there are {}", text,
                         guess.empty() ? "" : formatted("did you mean {}? ", guess),
                         joined(values, ", "));
      },
      std::move(description));
}

CLI::Validator whole_number(std::int64_t least, std::uint64_t most) {
  // If the upper limit is only the largest number of the type, the help does not show it.
  const bool is_open = most >= std::numeric_limits<std::int32_t>::max();
  std::string description = least == 1 && is_open   ? "POSITIVE"
                            : least == 0 && is_open ? "NONNEGATIVE"
                            : is_open               ? ""
                                                    : formatted("{} to {}", least, most);
  const bool is_any = least == std::numeric_limits<std::int32_t>::min() && is_open;
  return CLI::Validator(
      [least, most, is_any](std::string& text) -> std::string {
        if (auto number = number_between(text, least, most)) {
          text = *std::move(number);
          return "";
        }
        if (is_any) return formatted("'{}' is no whole number of 32 bits", text);
        return formatted("'{}' is no whole number from {} to {}", text, least, most);
      },
      std::move(description));
}

CLI::Validator number_of_bytes() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
        std::string unit = lower(std::string_view(text).substr(end));
        unit.erase(0, unit.find_first_not_of(' '));
        constexpr std::array<std::string_view, 5> letters{"", "k", "m", "g", "t"};
        for (std::size_t power = 0; power < letters.size(); ++power) {
          const std::string letter(letters[power]);
          if (unit != letter && unit != letter + "b" && (power == 0 || unit != letter + "ib"))
            continue;
          const auto shift = static_cast<unsigned>(10 * power);
          const auto number = digits(std::string_view(text).substr(0, end));
          if (!number || *number == 0 || *number > UINT64_MAX >> shift) break;
          text = formatted("{}", *number << shift);
          return "";
        }
        return formatted("'{}' is no number of bytes from 1 to 2^64 - 1, such as 512MB or 4GB",
                         text);
      },
      "as 512MB or 4GB");
}

}  // namespace heddle::tool
