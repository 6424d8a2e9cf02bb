// heddle translate: a layout in the words of another dialect.
#pragma once

#include <CLI/CLI.hpp>

namespace heddle::tool {

/// Adds the command; when it is called, `status` becomes the exit status.
void add_translate_command(CLI::App& program, int& status);

}  // namespace heddle::tool
