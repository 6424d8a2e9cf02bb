#include "tools/heddle/source_file.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "heddle/instruction/nearest.h"

namespace heddle::tool {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

}  // namespace

std::expected<std::string, std::string> read_file(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  std::string text;
  std::array<char, 65536> piece;
  constexpr std::size_t most_bytes = std::size_t{16} << 20;
  while (file) {
    const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get());
    text.append(piece.data(), count);
    if (count < piece.size()) break;
    if (text.size() > most_bytes)
      return std::unexpected(fmt::format(
          "'{}' has more than {} MiB; it is no input of this program", path, most_bytes >> 20));
  }
  if (!file || std::ferror(file.get()) != 0)  // a directory opens, and fails to be read
    return std::unexpected(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  return text;
}

std::expected<void, std::string> write_file(const std::string& path, std::string_view bytes) {
  File file(std::fopen(path.c_str(), "wb"));
  const bool written =
      file && std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  if (!written || std::fclose(file.release()) != 0)  // the last bytes may fail only here
    return std::unexpected(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
  return {};
}

std::expected<void, std::string> print_output(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0)
    return std::unexpected(fmt::format("cannot write standard output: {}", std::strerror(errno)));
  return {};
}

void print_error(std::string_view message) {
  while (message.ends_with('\n')) message.remove_suffix(1);
  std::fwrite(message.data(), 1, message.size(), stderr);
  std::fputc('\n', stderr);
}

int answer(const std::expected<std::string, std::string>& text) {
  const auto printed = text ? print_output(*text) : std::unexpected(text.error());
  if (!printed) print_error(printed.error());
  return printed ? 0 : 2;
}

namespace {

/// That there is no such target, the nearest name, and all names.
std::string no_target(const std::string& text, const auto& rows, std::string_view which) {
  std::string names;
  std::string wanted = text;
  for (char& c : wanted) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  instruction::NearestNames nearest(wanted);
  for (const auto& row : rows) {
    nearest.consider(row.name);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  const std::string_view guess = nearest.names()[0];
  const bool near = instruction::edit_distance(wanted, guess) <= 1;
  return fmt::format("no target '{}'{}; {}the targets are {}", text, which,
                     near ? fmt::format("did you mean {}? ", guess) : std::string(), names);
}

}  // namespace

std::expected<instruction::Target, std::string> read_target(const std::string& text) {
  if (const auto* row = instruction::find_target(text)) return row->target;
  const bool in_catalogue = instruction::find_processor(text) != nullptr;
  return std::unexpected(
      no_target(text, instruction::target_rows, in_catalogue ? " to compile for" : ""));
}

std::expected<instruction::Target, std::string> read_processor(const std::string& text) {
  if (const auto* row = instruction::find_processor(text)) return row->target;
  return std::unexpected(no_target(text, instruction::processor_rows, ""));
}

}  // namespace heddle::tool
