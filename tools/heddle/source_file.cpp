#include "tools/heddle/source_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "heddle/instruction/nearest.h"
#include "heddle/instruction/processor_name.h"
#include "runtime/files.h"
#include "runtime/printable.h"
#include "tools/heddle/json_text.h"

namespace heddle::tool {

std::expected<std::string, std::string> read_file(const std::string& path) {
  constexpr std::size_t most_bytes = std::size_t{16} << 20;
  auto text = runtime::read_file(path, most_bytes, runtime::FileKind::any);
  if (!text && text.error().contains("has more than"))
    text.error() += "; it is no input of this program";
  return text;
}

std::expected<void, std::string> print_bytes(std::string_view bytes) {
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size();
  if (!written || std::fflush(stdout) != 0)
    return std::unexpected(fmt::format("cannot write standard output: {}", std::strerror(errno)));
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
    if (end < line.size()) result += fmt::format(" … ({} more bytes)", line.size() - end);
    result += '\n';
    ++lines;
  }
  if (!message.empty())
    result += fmt::format("… ({} more lines)\n", std::ranges::count(message, '\n') + 1);
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
  if (const auto printed = print_output(error_json(shortened(message))); !printed)
    print_error(printed.error());
  return 2;
}

int answer(const std::expected<std::string, std::string>& text, std::string_view format) {
  if (!text) return refuse(text.error(), format);
  // Only text has colours; its own are all that may steer the terminal.
  const auto printed = format == "text"   ? print_bytes(runtime::printable_coloured(*text))
                       : format == "json" ? print_output(with_schema(*text))
                                          : print_output(*text);
  if (!printed) print_error(printed.error());
  return printed ? 0 : 2;
}

namespace {

/// That there is no such target, the nearest name, and all names.
std::string no_target(const std::string& text, const auto& rows, std::string_view which) {
  std::string names;
  std::string wanted = text;
  for (char& c : wanted) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  // Of equally near names the one that begins alike: gfx1152 is rather gfx1151 than gfx1102.
  std::string_view guess;
  std::size_t alike = 0;
  for (const auto& row : rows) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
    const std::string_view name = row.name;
    const auto same =
        static_cast<std::size_t>(std::ranges::mismatch(wanted, name).in2 - name.begin());
    if (instruction::edit_distance(wanted, name) > 1 || same < alike) continue;
    if (same > alike || guess.empty()) guess = name;
    alike = same;
  }
  const bool near = !guess.empty();
  return fmt::format("no target '{}'{}; {}the targets are {}", text, which,
                     near ? fmt::format("did you mean {}? ", guess) : std::string(), names);
}

}  // namespace

std::expected<instruction::Target, std::string> read_target(const std::string& text) {
  const auto* row = instruction::find_processor_by_any_name(text);
  if (row && instruction::has_kernels(row->target)) return row->target;
  const bool in_catalogue = row != nullptr;
  return std::unexpected(
      no_target(text, instruction::target_rows, in_catalogue ? " to compile for" : ""));
}

std::expected<instruction::Target, std::string> read_processor(const std::string& text) {
  if (const auto* row = instruction::find_processor_by_any_name(text)) return row->target;
  return std::unexpected(no_target(text, instruction::processor_rows, ""));
}

}  // namespace heddle::tool
