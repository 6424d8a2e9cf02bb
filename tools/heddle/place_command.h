// heddle place: finds the layout of a tile in shared memory.
#pragma once

#include <CLI/CLI.hpp>

namespace heddle::tool {

/// Adds the command; when it is called, `status` becomes the exit status.
void add_place_command(CLI::App& program, int& status);

}  // namespace heddle::tool
