// The explorer's page, and the browser that shows it.
#pragma once

#include <expected>
#include <string>

namespace heddle::tool {

/// The page's file: explorer/ next to the program's folder in a build, share/heddle/explorer in an
/// installation. Error: a sentence with the places that were tried.
std::expected<std::string, std::string> page_file();

/// Opens `address` in a browser: the program in the environment variable BROWSER, or the desktop's
/// browser. Returns false if that is impossible, for example without a display.
bool open_in_browser(const std::string& address);

}  // namespace heddle::tool
