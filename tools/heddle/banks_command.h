// heddle banks: what an access of a tile in shared memory costs, who collides, and why.
#pragma once

#include <CLI/App.hpp>

namespace heddle::tool {

/// Adds the command; its exit status goes to `status` when it was the one given.
void add_banks_command(CLI::App& program, int& status);

}  // namespace heddle::tool
