// `heddle list`: the rows of the instruction catalogue.
#pragma once

#include <CLI/App.hpp>

namespace heddle::tool {

/// Adds the command; its exit status goes to `status` when it was the one given.
void add_list_command(CLI::App& program, int& status);

}  // namespace heddle::tool
