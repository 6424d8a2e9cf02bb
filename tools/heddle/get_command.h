// heddle get: where one element lies, and what one register of one lane holds.
#pragma once

#include <CLI/App.hpp>

namespace heddle::tool {

/// Adds the command; its exit status goes to `status` when it was the one given.
void add_get_command(CLI::App& program, int& status);

}  // namespace heddle::tool
