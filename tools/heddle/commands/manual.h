// The manual pages, written from the tree of commands and options that the help is made of.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace heddle::tool {

/// The page of `command`, which is the program itself or one of its commands, for man (in the
/// macros of groff's man and of mandoc).
std::string manual_page(const CLI::App& program, const CLI::App& command);

}  // namespace heddle::tool
