// Formats the text that kernels printed. without_rocm/print.h keeps its parts in a variable.
#include "runtime/program/printed_text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace heddle::program {
namespace {

/// One call of printf: its format and the words of its values. A length in a format such as
/// "%-8.3f" applies to the word.
std::string formatted(const std::uint64_t* words, std::uint64_t count, const TextAt& text_at) {
  const std::string format = text_at(words[0]);
  std::string text;
  std::uint64_t next = 1;
  const auto take = [&] { return next < count ? words[next++] : 0; };
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      text += format[i];
      continue;
    }
    if (format[i + 1] == '%') {
      text += format[++i];
      continue;
    }
    std::string one = "%";
    std::string length;
    for (++i; i < format.size(); ++i) {
      const char c = format[i];
      if (c == '*')
        one += std::to_string(static_cast<int>(take()));
      else if (std::strchr("hlLqjzt", c))
        length += c;
      else if (std::strchr("-+ #0123456789.", c))
        one += c;
      else
        break;
    }
    const char conversion = i < format.size() ? format[i] : 'd';
    const std::uint64_t word = take();
    char buffer[512];
    if (conversion == 's') {
      const std::string value = text_at(word);
      std::snprintf(buffer, sizeof buffer, (one + "s").c_str(), value.c_str());
    } else if (conversion == 'p') {
      std::snprintf(buffer, sizeof buffer, (one + "p").c_str(), reinterpret_cast<void*>(word));
    } else if (std::strchr("fFeEgGaA", conversion)) {
      double value;
      std::memcpy(&value, &word, sizeof value);
      std::snprintf(buffer, sizeof buffer, (one + conversion).c_str(), value);
    } else if (conversion == 'c') {
      std::snprintf(buffer, sizeof buffer, (one + "c").c_str(), static_cast<int>(word));
    } else if (std::strchr("di", conversion)) {
      const auto value = length.empty() || length[0] == 'h' ? static_cast<int>(word)
                                                            : static_cast<long long>(word);
      std::snprintf(buffer, sizeof buffer, (one + "lld").c_str(), static_cast<long long>(value));
    } else if (std::strchr("ouxX", conversion)) {
      const unsigned long long value =
          length.empty() || length[0] == 'h' ? static_cast<unsigned>(word) : word;
      std::snprintf(buffer, sizeof buffer, (one + "ll" + conversion).c_str(), value);
    } else {
      std::snprintf(buffer, sizeof buffer, "%%%c", conversion);
    }
    text += buffer;
  }
  return text;
}

}  // namespace

Printed take_printed(std::span<std::byte> variable, const TextAt& text_at) {
  Printed printed;
  if (variable.size() < 16) return printed;
  const std::size_t room = variable.size() - 8;
  std::uint32_t used = 0;
  std::memcpy(&used, variable.data(), sizeof used);
  const auto* word = reinterpret_cast<const std::uint64_t*>(variable.data() + 8);
  std::uint64_t left = std::min<std::uint64_t>(room / 8, used / 8);
  while (left >= 2 && word[0] >= 2 && word[0] <= left) {
    printed.text += formatted(word + 1, word[0] - 1, text_at);
    left -= word[0];
    word += word[0];
  }
  printed.is_cut = used > room;
  std::memset(variable.data(), 0, std::min<std::size_t>(variable.size(), 8 + std::size_t{used}));
  return printed;
}

}  // namespace heddle::program
