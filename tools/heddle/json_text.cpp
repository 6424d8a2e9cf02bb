#include "tools/heddle/json_text.h"

#include <fmt/format.h>

namespace heddle::tool {

std::string json_string(std::string_view text) {
  std::string escaped = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      escaped += {'\\', c};
    else if (c == '\n')
      escaped += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      escaped += c;
  }
  return escaped + '"';
}

}  // namespace heddle::tool
