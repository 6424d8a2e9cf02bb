// Reads one line of a launch file word by word. Its errors name line and column.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "heddle/interop/text_scanner.h"
#include "runtime/launch/text.h"

namespace heddle::runtime {

/// "; did you mean X? ALL", where X is the name in `names` that is most like `wanted`, and ALL is
/// `all`. If no name is close to `wanted`, only "; ALL". If `all` is empty, the text has no ALL; if
/// there is no X either, the text is empty.
std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names,
                         std::string_view all = "");

class LineReader {
 public:
  /// `text` without its comment.
  LineReader(std::string_view text, std::size_t line) : text_(text), line_(line), in_(text) {}

  TextPlace place() { return {line_, in_.place() + 1}; }
  bool failed() const { return in_.failed(); }
  bool at_end() { return in_.at_end(); }
  char peek() { return in_.peek(); }
  bool next_is_number();
  LaunchError error() const { return {{line_, in_.error()->column}, in_.error()->message}; }

  bool take(std::string_view wanted) { return in_.take(wanted); }
  void expect(std::string_view wanted, const std::string& why) { in_.expect(wanted, why); }
  void fail(const std::string& expected) { in_.fail(expected); }
  void fail_at(TextPlace place, std::string message) {
    in_.fail_at(place.column - 1, std::move(message));
  }
  void expect_end(const std::string& what);

  std::string_view word() { return in_.word(); }
  /// Takes the next word if it is `wanted`.
  bool take_word(std::string_view wanted);
  /// Takes a user's name: letters, digits and _. Otherwise fails with "expected" `what`.
  std::string name(const std::string& what);
  /// Takes the text up to the next space, or between quotes.
  std::string file_name(const std::string& what = "the name of a file");
  std::int64_t count(const std::string& what, std::int64_t least, std::int64_t most) {
    return in_.number(what, least, most);
  }
  WrittenNumber number(const std::string& what);

 private:
  std::string_view rest() { return text_.substr(in_.place()); }

  std::string_view text_;
  std::size_t line_;
  interop::TextScanner in_;
};

}  // namespace heddle::runtime
