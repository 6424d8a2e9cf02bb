// The common part of all readers of layout text: the position in the text, and the first error.
//
//   TextScanner in("[4, 2]");
//   in.expect('[', " and the sizes");
//   const long first = in.number("a size", 1, 1 << 20);
//   if (in.error()) …            after a failure, nothing more is read, and numbers are 0
//
// An example with an error, for the text "[4 2]":
//
//   in.expect('[')                              read
//   in.number("a size", 1, 1 << 20)             4
//   in.expect(',', " between the sizes")        the error, at column 4:
//                                               "expected ',' between the sizes, found '2'"
//   in.number("a size", 1, 1 << 20)             0, and the error stays that of column 4
//
// Columns count bytes from 1. A number is read without overflow, however long it is: if it is
// outside its range, the error gives the range.
//
// A reader that uses this class needs no error handling of its own. After the first failure, every
// function behaves as at the end of the text, so that loops end. The reader checks error() once, at
// the end.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/interop/text_error.h"

namespace heddle::interop {

class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : text_(text) {}

  bool failed() const { return error_.has_value(); }
  /// The first error.
  const std::optional<TextError>& error() const { return error_; }

  /// Skips spaces, tabs and line ends. Returns the index of the next character.
  std::size_t place() {
    while (place_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[place_]) != std::string_view::npos)
      ++place_;
    return place_;
  }
  bool at_end() { return place() == text_.size(); }
  /// The next character, or 0 at the end and after an error.
  char peek() { return failed() || at_end() ? '\0' : text_[place_]; }
  /// Everything from the next character on.
  std::string_view rest() { return text_.substr(place()); }
  /// True if the next characters are `wanted`. After an error the result is always false, so that
  /// loops end.
  bool next_is(std::string_view wanted) {
    return !failed() && text_.substr(place()).starts_with(wanted);
  }

  /// Skips `wanted` if it is next. False if `wanted` is not next, and after an error.
  bool take(std::string_view wanted) {
    if (failed() || !next_is(wanted)) return false;
    place_ += wanted.size();
    return true;
  }
  /// Skips `wanted` if it is next. Otherwise sets the error "expected 'wanted'", followed by `why`
  /// and the character that was found.
  void expect(std::string_view wanted, const std::string& why = "") {
    if (!failed() && !take(wanted)) fail("expected '" + std::string(wanted) + "'" + why);
  }
  void expect_end() {
    if (!failed() && !at_end()) fail("expected the end of the layout");
  }

  /// Sets the error at the next character: what was expected, and what was found.
  void fail(const std::string& expected) {
    const std::size_t at = place();
    fail_at(at, expected + ", found " +
                    (at < text_.size() ? "'" + std::string(1, text_[at]) + "'"
                                       : std::string("the end of the text")));
  }
  void fail_at(std::size_t place, std::string message) {
    if (!failed()) error_ = TextError{place + 1, std::move(message)};
  }

  /// The text that was read since index `begin`, without spaces at its end.
  std::string_view taken_since(std::size_t begin) const {
    std::string_view taken = text_.substr(begin, place_ - begin);
    while (taken.ends_with(' ') || taken.ends_with('\n') || taken.ends_with('\t'))
      taken.remove_suffix(1);
    return taken;
  }

  bool next_is_digit() { return peek() >= '0' && peek() <= '9'; }

  /// Reads a number from `least` to `most`, which must both be between -2^60 and 2^60. `what`
  /// describes the number in errors.
  std::int64_t number(const std::string& what, std::int64_t least, std::int64_t most) {
    if (failed()) return 0;
    const std::size_t begin = place();
    const bool negative = least < 0 && take("-");
    if (!next_is_digit()) {
      fail("expected " + what);
      return 0;
    }
    std::int64_t value = 0;
    while (place_ < text_.size() && text_[place_] >= '0' && text_[place_] <= '9')
      value = std::min(value * 10 + (text_[place_++] - '0'), std::int64_t{1} << 59);
    if (negative) value = -value;
    if (value >= least && value <= most) return value;
    fail_at(begin, what + " is from " + std::to_string(least) + " to " + std::to_string(most));
    return 0;
  }

  /// Reads all following characters that are among `allowed`, without skipping spaces; may be
  /// empty.
  std::string_view while_in(std::string_view allowed) {
    if (failed()) return {};
    const std::size_t begin = place_;
    while (place_ < text_.size() && allowed.find(text_[place_]) != std::string_view::npos) ++place_;
    return text_.substr(begin, place_ - begin);
  }

  /// Reads a word of letters, digits and underscores that does not begin with a digit; empty if
  /// there is none.
  std::string_view word() {
    const std::size_t begin = place();
    if (failed() || next_is_digit()) return {};
    const auto belongs = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    while (place_ < text_.size() && belongs(text_[place_])) ++place_;
    return text_.substr(begin, place_ - begin);
  }

 private:
  std::string_view text_;
  std::size_t place_ = 0;
  std::optional<TextError> error_;
};

}  // namespace heddle::interop
