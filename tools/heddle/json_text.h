// Text as a string of JSON.
#pragma once

#include <string>
#include <string_view>

namespace heddle::tool {

/// `text` in quotes, with quotes, backslashes and control characters escaped (RFC 8259, section 7).
std::string json_string(std::string_view text);

}  // namespace heddle::tool
