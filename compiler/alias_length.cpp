#include "compiler/alias_length.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

namespace heddle::compiler {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.';
}

// The alias, "#name" or "!name", with which `text` begins; empty if it begins with none.
std::string_view alias_at(std::string_view text) {
  if (text.empty() || (text[0] != '#' && text[0] != '!')) return {};
  std::size_t end = 1;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(0, end == 1 ? 0 : end);
}

// The alias that a line "#name = …" defines; empty if the line defines none.
std::string_view defined_by(std::string_view line) {
  const std::string_view name = alias_at(line);
  const std::size_t next = line.find_first_not_of(" \t", name.size());
  if (name.empty() || next == std::string_view::npos || line[next] != '=') return {};
  return name;
}

}  // namespace

std::optional<std::size_t> alias_longer_than(std::string_view text, std::size_t most) {
  std::map<std::string, std::size_t, std::less<>> lengths;
  std::string name;        // that is being defined; empty outside definitions
  std::size_t length = 0;  // of its definition so far
  std::size_t begin = 0;   // of its line
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
    const std::string_view defined = defined_by(line.substr(first));
    // A definition may continue on further lines. It ends before a line that begins with an
    // operation.
    const bool is_operation = first < line.size() && (is_word(line[first]) || line[first] == '%' ||
                                                      line[first] == '"' || line[first] == '}');
    if (!defined.empty() || is_operation) name.clear();
    if (!defined.empty()) {
      name = defined;
      length = 0;
      begin = at + first;
    }
    for (std::size_t i = first + defined.size(); !name.empty() && i < line.size();) {
      const std::string_view used = alias_at(line.substr(i));
      const auto known = used.empty() ? lengths.end() : lengths.find(used);
      length += known == lengths.end() ? 1 : known->second;
      i += std::max<std::size_t>(used.size(), 1);
      if (length > most) return begin;
    }
    if (!name.empty()) lengths[name] = length;
    at = end + 1;
  }
  return std::nullopt;
}

}  // namespace heddle::compiler
