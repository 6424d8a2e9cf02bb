// The manual pages, from the tree of commands and options that also makes the help.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace heddle::tool {

/// The page of `command`, which is the program or one of its commands, in the man macros of groff
/// and mandoc.
std::string manual_page(const CLI::App& program, const CLI::App& command);

}  // namespace heddle::tool
