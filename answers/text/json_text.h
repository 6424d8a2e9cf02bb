// Text as a string of JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::answers {

/// `text` in quotes, with quotes, backslashes and control characters escaped (RFC 8259, section 7).
std::string json_string(std::string_view text);

/// A list of strings of JSON.
std::string json_strings(const std::vector<std::string_view>& texts);

/// The version of the program's JSON output (docs/json.md). It rises when a key is removed or
/// changes its name, type or meaning, but not when a key is added.
inline constexpr int json_schema = 1;

/// `json` with "schema" as its first key. Precondition: `json` is the text of an object with keys.
std::string with_schema(std::string json);

/// What the program prints instead of a report in JSON if there is an error: {"schema": 1, "error":
/// "…"} and a newline.
std::string error_json(std::string_view message);

}  // namespace heddle::answers
