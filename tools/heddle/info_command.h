// heddle info: one row of the catalogue in words, with a call that compiles.
#pragma once

#include <CLI/App.hpp>

namespace heddle::tool {

/// Adds the command; its exit status goes to `status` when it was the one given.
void add_info_command(CLI::App& program, int& status);

}  // namespace heddle::tool
