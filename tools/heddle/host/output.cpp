#include "tools/heddle/host/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "answers/text/json_text.h"
#include "library/text/formatted.h"
#include "runtime/files/printable.h"

namespace heddle::tool {

std::expected<void, std::string> print_bytes(std::string_view bytes) {
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size();
  if (!written || std::fflush(stdout) != 0)
    return std::unexpected(formatted("cannot write standard output: {}", std::strerror(errno)));
  return {};
}

std::expected<void, std::string> print_output(std::string_view text) {
  return print_bytes(runtime::printable(text));
}

std::string shortened(std::string_view message) {
  constexpr std::size_t longest_line = 2000, most_lines = 1000;
  std::string result;
  std::size_t lines = 0;
  while (!message.empty() && lines < most_lines) {
    const std::string_view line = message.substr(0, message.find('\n'));
    message.remove_prefix(std::min(message.size(), line.size() + 1));
    std::size_t end = std::min(line.size(), longest_line);
    // Not within a character of UTF-8.
    while (end < line.size() && end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80)
      --end;
    result += line.substr(0, end);
    if (end < line.size()) result += formatted(" … ({} more bytes)", line.size() - end);
    result += '\n';
    ++lines;
  }
  if (!message.empty())
    result += formatted("… ({} more lines)\n", std::ranges::count(message, '\n') + 1);
  if (!result.empty()) result.pop_back();
  return result;
}

void print_error(std::string_view message) {
  while (message.ends_with('\n')) message.remove_suffix(1);
  const std::string shown = runtime::printable(shortened(message)) + '\n';
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

int refuse(std::string_view message, std::string_view format) {
  print_error(message);
  if (format != "json") return 2;
  if (const auto printed = print_output(answers::error_json(shortened(message))); !printed)
    print_error(printed.error());
  return 2;
}

int answer(const std::expected<std::string, std::string>& text, std::string_view format) {
  if (!text) return refuse(text.error(), format);
  // Only text has colours. Other bytes that control the terminal are escaped.
  const auto printed = format == "text"   ? print_bytes(runtime::printable_coloured(*text))
                       : format == "json" ? print_output(answers::with_schema(*text))
                                          : print_output(*text);
  if (!printed) print_error(printed.error());
  return printed ? 0 : 2;
}

}  // namespace heddle::tool
