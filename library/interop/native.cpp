#include "heddle/interop/native.h"

#include <algorithm>
#include <bit>
#include <expected>
#include <string>
#include <string_view>
#include <variant>

#include "library/text/formatted.h"

namespace heddle::interop {
namespace detail {
namespace {

/// Reads the pairs behind the word `padding`. Columns are those of the whole text, in which `text`
/// begins at `start`.
std::expected<memory::PaddingList, TextError> read_padding(std::string_view text,
                                                           std::size_t start) {
  memory::PaddingList list;
  std::size_t place = 0;
  const auto error = [&](std::string message) {
    return std::unexpected(TextError{start + place + 1, std::move(message)});
  };
  const auto found = [&]() -> std::string {
    return place < text.size() ? std::string("'") + text[place] + "'" : "the end of the text";
  };
  const auto skip_spaces = [&] {
    while (place < text.size() && std::string_view(" \t\r\n").contains(text[place])) ++place;
  };
  const auto number = [&](const char* what) -> std::expected<std::uint64_t, TextError> {
    const std::size_t begin = place;
    std::uint64_t value = 0;
    while (place < text.size() && text[place] >= '0' && text[place] <= '9') {
      value = value * 10 + static_cast<std::uint64_t>(text[place] - '0');
      if (value >> 32 != 0) {
        place = begin;
        return error("a number here is at most 4294967295");
      }
      ++place;
    }
    if (place == begin) return error(std::string("expected ") + what + ", found " + found());
    return value;
  };
  for (skip_spaces(); place < text.size() || list.empty(); skip_spaces()) {
    const std::size_t begin = place;
    const auto interval = number("an interval, as the 4 of 4:+2");
    if (!interval) return std::unexpected(interval.error());
    if (!std::has_single_bit(*interval)) {
      place = begin;
      return error(formatted("the interval {} is not a power of two", *interval));
    }
    for (const memory::Padding& other : list) {
      if (other.interval != *interval) continue;
      place = begin;
      return error(formatted("the interval {} is there twice; add the two amounts", *interval));
    }
    if (list.size() == memory::PaddingList::most) {
      place = begin;
      return error(formatted("a layout has at most {} paddings", memory::PaddingList::most));
    }
    if (!text.substr(place).starts_with(":+"))
      return error("expected ':+' between interval and amount, found " + found());
    place += 2;
    const auto amount = number("an amount, as the 2 of 4:+2");
    if (!amount) return std::unexpected(amount.error());
    list.push_back({*interval, *amount});
  }
  return list;
}

}  // namespace
}  // namespace detail

bool is_native_text(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  constexpr std::string_view of_words =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::size_t word = std::min(text.find_first_not_of(of_words), text.size());
  if (word == 0) return false;
  std::string_view rest = text.substr(word);
  rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
  if (rest.starts_with(':') && !rest.starts_with("::")) {
    rest.remove_prefix(1);
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    if (rest.empty() || rest[0] == '(' || rest[0] == ';' || rest.starts_with("->")) return true;
  }
  const std::size_t arrow = text.find("->");
  const std::string_view before = text.substr(0, std::min(arrow, text.size()));
  return arrow != std::string_view::npos && !text.substr(word).starts_with('(') &&
         before.find_first_not_of(std::string(of_words) + std::string(blanks) + ":;(),") ==
             std::string_view::npos;
}

std::expected<NativeLayout, TextError> read_native(std::string_view text) {
  constexpr std::string_view word = " padding ";
  const std::size_t arrow = text.find("->");
  const std::size_t padding = arrow == std::string_view::npos ? arrow : text.find(word, arrow);
  const auto map = layout::parse(text.substr(0, padding));
  if (!map) {
    const auto& error = map.error();
    // An error in the text names its column. An error in the axes of the finished layout is placed
    // at the start of the text.
    const bool has_column = error.code >= layout::ErrorCode::text_needs_name;
    std::string message(error.message().view());
    const std::size_t colon = message.find(": ");
    if (has_column && message.starts_with("column ") && colon != std::string::npos)
      message.erase(0, colon + 2);
    return std::unexpected(
        TextError{has_column ? static_cast<std::size_t>(error.numbers[0]) : 1, std::move(message)});
  }
  if (!is_shared(*map)) {
    if (padding == std::string_view::npos) return *map;
    return std::unexpected(TextError{
        padding + 2,
        "padding belongs to a layout of shared memory, whose first input axis is 'offset'"});
  }
  memory::SharedLayout shared{*map, {}};
  if (padding != std::string_view::npos) {
    const std::size_t start = padding + word.size();
    const auto list = detail::read_padding(text.substr(start), start);
    if (!list) return std::unexpected(list.error());
    shared.padding = *list;
  }
  return shared;
}

std::string write_native(const layout::LinearLayout& map) {
  return std::string(layout::text(map).view());
}

std::string write_native(const memory::SharedLayout& shared) {
  std::string text = write_native(shared.map);
  if (!shared.padding.empty()) text += " padding";
  for (const memory::Padding& pad : shared.padding)
    text += formatted(" {}:+{}", pad.interval, pad.amount);
  return text;
}

}  // namespace heddle::interop
