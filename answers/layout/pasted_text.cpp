#include "answers/layout/pasted_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "heddle/interop/any_layout.h"

namespace heddle::answers {
namespace {

constexpr std::string_view blanks = " \t\r\n";

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Replaces the HTML entities of web pages by their characters.
std::string without_entities(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 4> entities{
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&amp;", '&'}}};
  std::string plain;
  while (!text.empty()) {
    const auto entity = std::ranges::find_if(
        entities, [&](const auto& one) { return text.starts_with(one.first); });
    plain += entity == entities.end() ? text.front() : entity->second;
    text.remove_prefix(entity == entities.end() ? 1 : entity->first.size());
  }
  return plain;
}

/// Removes the slashes of a comment at the beginning of each line. A comment at the end of a line
/// is removed only in text that CuTe prints: in other text // may be a division, as in TileLang.
std::string without_comment(std::string_view text) {
  const bool is_print = text.find("ThrID:") != std::string_view::npos;
  std::string lines;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    const std::size_t begin = line.find_first_not_of(blanks);
    if (begin != std::string_view::npos && line.substr(begin).starts_with("//")) {
      line.remove_prefix(begin);
      line.remove_prefix(std::min(line.find_first_not_of('/'), line.size()));
    } else if (is_print) {
      line = line.substr(0, line.find("//"));
    }
    lines += line;
    if (end == text.size()) return lines;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string_view without_quotes(std::string_view text) {
  const bool is_quoted = text.size() > 1 && text.front() == text.back() &&
                         std::string_view("'\"`").contains(text.front());
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

/// The text after "NAME =". Before the = may be a type and words of C++ or Python. If a word of
/// Mojo (comptime, alias, var) is there, the whole text is returned, because CuTe's reader takes
/// such text. An = inside brackets belongs to a field of the layout and is not an assignment.
std::string_view without_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return text;
  const std::string_view name = text.substr(0, equals);
  const std::string_view value = trimmed(text.substr(equals + 1));
  if (name.starts_with('#')) return value.starts_with("#iree") ? value : text;
  for (const std::string_view word : {"comptime ", "alias ", "var "})
    if (name.starts_with(word)) return text;
  const auto is_of_name = [](char c) {
    return is_of_word(c) || std::string_view(".:&* \t").contains(c);
  };
  const bool is_name = is_of_word(name[0]) && std::ranges::all_of(name, is_of_name);
  return is_name && !value.starts_with('=') ? value : text;
}

/// True if the first bracket of the text closes before a colon, as the shape in CuTe's shape:stride
/// does. A list of coordinates has no colon behind it.
bool is_shape(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0) return trimmed(text.substr(i + 1)).starts_with(':');
  }
  return false;
}

/// The text after "NAME:" if this rest is a layout by itself; otherwise the whole text. The whole
/// text is also the answer for rows:8 and columns:8, and for a layout in Heddle's own notation that
/// begins with a name and a colon.
std::string_view without_label(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_of_word);
  const auto length = static_cast<std::size_t>(end - text.begin());
  const std::string_view name = text.substr(0, length);
  std::string_view rest = trimmed(text.substr(length));
  if (name.empty() || !rest.starts_with(':') || rest.starts_with("::")) return text;
  rest = trimmed(rest.substr(1));
  if (rest.empty() || name == "rows" || name == "columns") return text;
  const auto is_native = [](std::string_view layout) {
    return interop::dialect_of(layout) == interop::Dialect::native;
  };
  if (!is_native(text) || is_native(rest)) return text;  // _8:_1 is a layout itself
  if (rest.starts_with('(') && !is_shape(rest)) return text;
  const bool is_number = rest[0] >= '0' && rest[0] <= '9';
  return is_number && !rest.contains(':') ? text : rest;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::string as_layout_text(std::string_view text) {
  std::string pasted = without_entities(text);
  constexpr int deepest = 4;  // a comment, quotes, an assignment and a label
  for (int depth = 0; depth < deepest; ++depth) {
    std::string inner = without_comment(pasted);
    std::string_view rest = without_quotes(trimmed(inner));
    rest = trimmed(without_label(without_assignment(trimmed(rest))));
    if (rest.ends_with(';')) rest.remove_suffix(1);
    if (rest == trimmed(pasted)) break;
    pasted = std::string(trimmed(rest));
  }
  return pasted;
}

}  // namespace heddle::answers
