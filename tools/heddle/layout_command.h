// heddle layout: what a layout is, in whichever dialect it is written, and a picture of it.
#pragma once

#include <CLI/CLI.hpp>

namespace heddle::tool {

/// Adds the command; when it is called, `status` becomes the exit status.
void add_layout_command(CLI::App& program, int& status);

}  // namespace heddle::tool
