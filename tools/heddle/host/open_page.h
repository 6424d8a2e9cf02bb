// The page that is installed with the program, and the browser that shows it.
#pragma once

#include <expected>
#include <string>

namespace heddle::tool {

/// The page's file, or a sentence that says where it was looked for: explorer/ beside the program's
/// folder, as it is built, and share/heddle/explorer, as it is installed.
std::expected<std::string, std::string> page_file();

/// Whether a browser shows `address`, the program in BROWSER or else what the desktop has. There is
/// none without a display.
bool open_in_browser(const std::string& address);

}  // namespace heddle::tool
