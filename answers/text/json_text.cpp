#include "answers/text/json_text.h"

#include "library/text/formatted.h"

namespace heddle::answers {

std::string json_string(std::string_view text) {
  std::string escaped = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      escaped += {'\\', c};
    else if (c == '\n')
      escaped += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      escaped += formatted("\\u{:04x}", static_cast<unsigned char>(c));
    else
      escaped += c;
  }
  return escaped + '"';
}

std::string with_schema(std::string json) {
  return json.insert(1, formatted("\"schema\": {}, ", json_schema));
}

std::string error_json(std::string_view message) {
  while (message.ends_with('\n')) message.remove_suffix(1);
  return with_schema(formatted("{{\"error\": {}}}\n", json_string(message)));
}

std::string json_strings(const std::vector<std::string_view>& texts) {
  std::string list;
  for (const std::string_view text : texts) list += (list.empty() ? "" : ", ") + json_string(text);
  return "[" + list + "]";
}

}  // namespace heddle::answers
