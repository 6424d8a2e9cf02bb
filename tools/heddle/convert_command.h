// heddle convert: plans the way from one distributed layout of a tile to another.
#pragma once

#include <CLI/CLI.hpp>

namespace heddle::tool {

/// Adds the command; when it is called, `status` becomes the exit status.
void add_convert_command(CLI::App& program, int& status);

}  // namespace heddle::tool
