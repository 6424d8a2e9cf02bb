// `heddle show INSTRUCTION`: where the elements of a matrix instruction's operands lie.
#pragma once

#include <CLI/App.hpp>

namespace heddle::tool {

/// Adds the command; its exit status goes to `status` when it was the one given.
void add_show_command(CLI::App& program, int& status);

}  // namespace heddle::tool
