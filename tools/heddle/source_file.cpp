#include "tools/heddle/source_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace heddle::tool {

std::expected<std::string, std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad() || (text.empty() && errno != 0))
    return std::unexpected(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  return text;
}

std::expected<void, std::string> write_file(const std::string& path, std::string_view bytes) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file)
    return std::unexpected(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
  return {};
}

std::expected<instruction::Target, std::string> read_target(const std::string& text) {
  if (const instruction::TargetRow* row = instruction::find_target(text)) return row->target;
  std::string names;
  for (const instruction::TargetRow& row : instruction::target_rows)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return std::unexpected(fmt::format("no target '{}'; the targets are {}", text, names));
}

}  // namespace heddle::tool
