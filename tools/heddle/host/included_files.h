// A source and the files next to it that it includes.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "answers/text/input_file.h"

namespace heddle::tool {

/// The files that a text includes by #include "FILE".
inline std::vector<std::string> quoted_includes(const std::string& text) {
  std::vector<std::string> files;
  for (std::size_t at = text.find("#include"); at != std::string::npos;
       at = text.find("#include", at + 1)) {
    const std::size_t open = text.find_first_not_of(" \t", at + 8);
    if (open == std::string::npos || text[open] != '"') continue;
    const std::size_t close = text.find_first_of("\"\n", open + 1);
    if (close != std::string::npos) files.push_back(text.substr(open + 1, close - open - 1));
  }
  return files;
}

/// True if a predicate holds for the text of a file, or of a file that it includes from its own
/// folder, directly or indirectly up to some depth.
template <class Predicate>
bool holds_of_included(const std::string& path, const Predicate& predicate, int depth = 0) {
  const auto text = answers::read_file(path);
  if (!text) return false;
  if (predicate(*text)) return true;
  constexpr int most_depth = 4;  // of files that include each other
  if (depth == most_depth) return false;
  const auto folder = std::filesystem::path(path).parent_path();
  return std::ranges::any_of(quoted_includes(*text), [&](const std::string& file) {
    return holds_of_included((folder / file).string(), predicate, depth + 1);
  });
}

}  // namespace heddle::tool
