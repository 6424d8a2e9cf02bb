#include "emulator/record/printed.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdio>

namespace heddle::emulator {
namespace {

constexpr int widest = 1000;

// One conversion of a format, such as "%-8.3lf".
struct Conversion {
  std::string flags;
  int width = -1, precision = -1;  // -1: not said
  std::string length;
  char letter = 0;  // 0: the format ends within the conversion
};

class Formatter {
 public:
  Formatter(std::string_view format, const PrintfValues& values) : rest_(format), values_(values) {}

  std::string text() {
    while (!rest_.empty() && text_.size() < PrintedText::most_bytes) {
      const std::size_t percent = std::min(rest_.find('%'), rest_.size());
      text_ += rest_.substr(0, percent);
      rest_.remove_prefix(percent);
      if (rest_.empty()) break;
      rest_.remove_prefix(1);
      const Conversion conversion = read();
      if (conversion.letter == '%')
        text_ += '%';
      else
        add(conversion);
    }
    return std::move(text_);
  }
  unsigned count() const { return count_; }

 private:
  char next() {
    if (rest_.empty()) return 0;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool accepts(std::string_view letters) const {
    return !rest_.empty() && letters.contains(rest_.front());
  }

  uint64_t number(unsigned bytes) {
    ++count_;
    return values_.number(bytes);
  }

  // Reads a width or a precision: digits, or * if it is the next argument.
  int size() {
    if (accepts("*")) {
      rest_.remove_prefix(1);
      return std::clamp(static_cast<int32_t>(number(4)), -widest, widest);
    }
    int digits = -1;
    while (accepts("0123456789"))
      digits = std::min(std::max(digits, 0) * 10 + (next() - '0'), widest);
    return digits;
  }

  Conversion read() {
    Conversion made;
    while (accepts("-+ #0"))
      if (const char flag = next(); !made.flags.contains(flag)) made.flags += flag;
    const bool has_star = accepts("*");
    made.width = size();
    if (has_star && made.width < 0) {
      if (!made.flags.contains('-')) made.flags += '-';
      made.width = -made.width;
    }
    if (accepts(".")) {
      rest_.remove_prefix(1);
      const bool is_value = accepts("*");
      made.precision = size();
      if (!is_value) made.precision = std::max(made.precision, 0);
    }
    while (accepts("hlLqjzt"))
      if (const char letter = next(); made.length.size() < 2) made.length += letter;
    made.letter = next();
    return made;
  }

  template <class T>
  void print(const Conversion& conversion, std::string_view letters, T value) {
    std::string format = "%" + conversion.flags;
    if (conversion.width >= 0) format += std::to_string(conversion.width);
    if (conversion.precision >= 0) format += "." + std::to_string(conversion.precision);
    format += letters;
    // Large enough, since a double has at most 309 digits before the decimal point.
    std::array<char, 2 * widest> buffer;
    std::snprintf(buffer.data(), buffer.size(), format.c_str(), value);
    text_ += buffer.data();
  }

  void add(const Conversion& conversion) {
    const std::string letter(1, conversion.letter);
    const std::string_view length = conversion.length;
    const bool is_long = !length.empty() && length[0] != 'h';
    switch (conversion.letter) {
      case 0:
        text_ += '%';
        return;
      case 'd':
      case 'i': {
        const uint64_t bits = number(is_long ? 8 : 4);
        const int64_t value = is_long          ? static_cast<int64_t>(bits)
                              : length == "h"  ? static_cast<int16_t>(bits)
                              : length == "hh" ? static_cast<int8_t>(bits)
                                               : static_cast<int32_t>(bits);
        return print(conversion, "lld", static_cast<long long>(value));
      }
      case 'o':
      case 'u':
      case 'x':
      case 'X': {
        const uint64_t bits = number(is_long ? 8 : 4);
        const uint64_t value = is_long          ? bits
                               : length == "h"  ? static_cast<uint16_t>(bits)
                               : length == "hh" ? static_cast<uint8_t>(bits)
                                                : static_cast<uint32_t>(bits);
        return print(conversion, "ll" + letter, static_cast<unsigned long long>(value));
      }
      case 'c':
        return print(conversion, letter, static_cast<int>(static_cast<uint8_t>(number(4))));
      case 'p':
        return print(conversion, letter, reinterpret_cast<void*>(number(8)));
      case 's':
        ++count_;
        return pad(conversion, values_.text());
      case 'n':
        number(8);
        return;
      default:
        if (std::string_view("fFeEgGaA").contains(conversion.letter))
          return print(conversion, letter, std::bit_cast<double>(number(8)));
        text_ += "%" + letter;
    }
  }

  void pad(const Conversion& conversion, std::string value) {
    if (conversion.precision >= 0)
      value.resize(
          std::min<std::size_t>(value.size(), static_cast<std::size_t>(conversion.precision)));
    const auto width = static_cast<std::size_t>(std::max(conversion.width, 0));
    const std::string spaces(width - std::min(width, value.size()), ' ');
    text_ += conversion.flags.contains('-') ? value + spaces : spaces + value;
  }

  std::string_view rest_;
  const PrintfValues& values_;
  std::string text_;
  unsigned count_ = 0;
};

}  // namespace

void PrintedText::add(uint64_t workgroup, std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (is_closed_ || text.empty()) return;
  const std::size_t room = most_bytes - bytes_;
  is_cut_ = is_cut_ || text.size() > room;
  text = text.substr(0, room);
  if (text.empty()) return;
  texts_[workgroup] += text;
  bytes_ += text.size();
}

void PrintedText::clear() {
  const std::lock_guard lock(mutex_);
  texts_.clear();
  bytes_ = 0;
  is_cut_ = false;
}

void PrintedText::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
}

std::string PrintedText::text() const {
  const std::lock_guard lock(mutex_);
  std::string all;
  for (const auto& [workgroup, text] : texts_) all += text;
  if (is_cut_) all += printed_was_cut;
  return all;
}

std::string PrintedText::last_line(uint64_t workgroup) const {
  const std::lock_guard lock(mutex_);
  const auto found = texts_.find(workgroup);
  if (found == texts_.end()) return {};
  std::string_view text = found->second;
  while (text.ends_with('\n')) text.remove_suffix(1);
  if (const std::size_t before = text.rfind('\n'); before != std::string_view::npos)
    text.remove_prefix(before + 1);
  return quoted_text(text);
}

std::string printf_text(std::string_view format, const PrintfValues& values, unsigned* count) {
  Formatter formatter(format, values);
  std::string text = formatter.text();
  if (count != nullptr) *count = formatter.count();
  return text;
}

std::string quoted_text(std::string_view text) {
  constexpr std::size_t longest = 500;
  std::string quoted(text.substr(0, longest));
  while (quoted.ends_with('\n')) quoted.pop_back();
  for (char& c : quoted)
    if (std::iscntrl(static_cast<unsigned char>(c))) c = ' ';
  return text.size() > longest ? quoted + " …" : quoted;
}

}  // namespace heddle::emulator
